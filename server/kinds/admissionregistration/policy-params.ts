import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { ParamKind, ParamRef } from '#schema/generated/admissionregistration.v1.ts';
import { labelSelectorText, validateLabelSelector } from '#schema/validation/label-selector.ts';
import { dns1035Label, dns1123Subdomain, pathSegmentName } from '#schema/validation/names.ts';

const NOT_FOUND_ACTIONS = ['Deny', 'Allow'];

/** Validates the kind of the parameter objects of a policy. */
export function validateParamKind(kind: ParamKind | null | undefined, path: FieldPath): FieldError[] {
  if (kind == null) return [];
  return [...validateVersion(kind.apiVersion ?? '', path.child('apiVersion')), ...validateName(kind.kind ?? '', path)];
}

function validateVersion(text: string, path: FieldPath): FieldError[] {
  if (text === '') return [required(path)];
  const parts = text === '/' ? [''] : text.split('/');
  if (parts.length > 2) return [invalidValue(path, text, `unexpected GroupVersion string: ${text}`)];
  const [group, version] = parts.length === 2 ? [parts[0]!, parts[1]!] : ['', parts[0]!];
  const errors: FieldError[] = [];
  const problems = group === '' ? [] : dns1123Subdomain(group);
  if (problems.length > 0) errors.push(invalidValue(path, group, problems.join(',')));
  if (version === '') return [...errors, invalidValue(path, text, 'version must be specified')];
  const wrong = dns1035Label(version);
  return wrong.length === 0 ? errors : [...errors, invalidValue(path, version, wrong.join(','))];
}

function validateName(kind: string, path: FieldPath): FieldError[] {
  if (kind === '') return [required(path.child('kind'))];
  const wrong = dns1035Label(kind.toLowerCase());
  if (wrong.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${wrong.join(',')}`;
  return [invalidValue(path.child('kind'), kind, detail)];
}

/** The kind of parameters in a table. */
export function shownParamKind(kind: ParamKind | null | undefined): string {
  return kind == null ? '<unset>' : `${kind.apiVersion ?? ''}/${kind.kind ?? ''}`;
}

/** The parameters in a table. */
export function shownParams(ref: ParamRef | null | undefined): string {
  if (ref == null) return '<unset>';
  const { name = '', namespace = '', selector } = ref;
  if (name !== '') return `${namespace === '' ? '*' : namespace}/${name}`;
  return selector == null ? '<unset>' : labelSelectorText(selector);
}

/** Validates which objects are the parameters. */
export function validateParamRef(ref: ParamRef | null | undefined, path: FieldPath): FieldError[] {
  if (ref == null) return [];
  const { name = '', selector, parameterNotFoundAction: action = '' } = ref;
  const errors: FieldError[] = [];
  const both = 'name and selector are mutually exclusive';
  if (name !== '') {
    append(
      errors,
      pathSegmentName(name).map((problem) => invalidValue(path.child('name'), name, problem)),
    );
    if (selector != null) errors.push(forbiddenField(path.child('name'), both));
  }
  if (selector != null) {
    append(errors, validateLabelSelector(selector, path.child('selector')));
    if (name !== '') errors.push(forbiddenField(path.child('selector'), both));
  }
  if (name === '' && selector == null) errors.push(required(path, 'one of name or selector must be specified'));
  if (action === '') errors.push(required(path.child('parameterNotFoundAction')));
  else if (!NOT_FOUND_ACTIONS.includes(action)) {
    errors.push(notSupported(path.child('parameterNotFoundAction'), action, NOT_FOUND_ACTIONS));
  }
  return errors;
}
