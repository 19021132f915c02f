import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, invalidValue, required, tooLong } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { dns1123Label, dns1123Subdomain } from '#schema/validation/names.ts';

const DAY = 24 * 3600;
const LONGEST = 91 * DAY;
const MAX_LABEL = 63;
const MAX_DOMAIN = 253;
/** The longest signer name: `DOMAIN/NAMESPACE.NAME` with the longest form of each part. */
const MAX_SIGNER_NAME = MAX_DOMAIN + 1 + MAX_LABEL + 1 + MAX_DOMAIN;

/** The error of the first wrong label in a part of a signer's name. */
function validateLabelsOf(
  part: string,
  problemsOf: (label: string) => readonly string[],
  path: FieldPath,
): FieldError[] {
  for (const label of part.split('.')) {
    const problems = problemsOf(label);
    if (problems.length === 0) continue;
    return problems.map((problem) => invalidValue(path, part, `validating label ${JSON.stringify(label)}: ${problem}`));
  }
  return [];
}

/**
 * Validates the name of a signer, such as `example.com/signer`: a domain of at least two labels, a slash and a name
 * with dots.
 */
export function validateSignerName(signerName: string, path: FieldPath): FieldError[] {
  if (signerName === '') return [required(path, 'signerName must be provided')];
  const parts = signerName.split('/');
  if (parts.length !== 2) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidValue(path, signerName, detail)];
  }
  const [domain = '', name = ''] = parts;
  const errors: FieldError[] = [];
  if (Buffer.byteLength(domain) > MAX_DOMAIN) errors.push(tooLong(path, domain, MAX_DOMAIN));
  append(errors, validateLabelsOf(domain, dns1123Label, path));
  if (!domain.includes('.')) {
    errors.push(invalidValue(path, domain, 'should be a domain with at least two segments separated by dots'));
  }
  append(errors, validateLabelsOf(name, dns1123Subdomain, path));
  if (Buffer.byteLength(signerName) > MAX_SIGNER_NAME) errors.push(tooLong(path, signerName, MAX_SIGNER_NAME));
  return errors;
}

/** The longest lifetime of a pod's certificate by a signer, in seconds. For signers of the product it is a day. */
export function longestExpiration(signerName: string, naming: Naming): number {
  return signerName.startsWith(`${naming.domain()}/`) ? DAY : LONGEST;
}
