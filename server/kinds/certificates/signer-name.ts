import { type FieldError, type FieldPath, invalidValue, required } from '../../errors/field-error.ts';
import { dns1123Label, dns1123Subdomain } from '../../validation/names.ts';

const MAX_LABEL = 63;
const MAX_NAME = 253;
/** `DOMAIN/PATH`, the longest of each. */
const MAX_SIGNER_NAME = MAX_NAME + 1 + MAX_NAME;

/** `example.com/signer`: a domain of two labels at least, a slash and a dotted name. */
export function validateSignerName(signerName: string, path: FieldPath): FieldError[] {
  if (signerName === '') return [required(path, 'signerName must be provided')];
  const parts = signerName.split('/');
  if (parts.length !== 2) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidValue(path, signerName, detail)];
  }
  const [domain = '', name = ''] = parts;
  const labels = domain.split('.');
  if (labels.length < 2) {
    return [invalidValue(path, domain, 'should be a domain with at least two segments separated by dots')];
  }
  const errors = labels.flatMap((label) =>
    dns1123Label(label).map((problem) =>
      invalidValue(path, domain, `validating label ${JSON.stringify(label)}: ${problem}`),
    ),
  );
  for (const label of name.split('.')) {
    const problems = label.length > MAX_LABEL ? dns1123Label(label) : dns1123Subdomain(label);
    errors.push(
      ...problems.map((problem) => invalidValue(path, name, `validating label ${JSON.stringify(label)}: ${problem}`)),
    );
  }
  if (signerName.length > MAX_SIGNER_NAME)
    errors.push(invalidValue(path, signerName, `must be no more than ${MAX_SIGNER_NAME} characters`));
  return errors;
}
