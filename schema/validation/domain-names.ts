import { type FieldError, type FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import { dns1123Label, dns1123Subdomain } from './names.ts';

/** Validates a DNS subdomain of at least three labels, such as a group's name with its domain. It is required. */
export function validateQualifiedDomain(name: string | undefined, path: FieldPath): FieldError[] {
  if (!name) return [required(path)];
  const problems = dns1123Subdomain(name);
  if (problems.length > 0) return [invalidValue(path, name, problems.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalidValue(path, name, 'should be a domain with at least three segments separated by dots')];
}

/** Validates a DNS domain of at least two labels. A dot may end it. It is required. */
export function validateDomain(name: string | undefined, path: FieldPath): FieldError[] {
  if (!name) return [required(path)];
  const domain = name.endsWith('.') ? name.slice(0, -1) : name;
  const problems = dns1123Subdomain(domain);
  if (problems.length > 0) return [invalidValue(path, domain, problems.join(','))];
  const labels = domain.split('.');
  if (labels.length < 2) {
    return [invalidValue(path, domain, 'should be a domain with at least two segments separated by dots')];
  }
  return labels.flatMap((label) => dns1123Label(label).map((problem) => invalidValue(path, label, problem)));
}

const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** Validates a domain, a slash and a path, such as `acme.io/foo`. It is required. */
export function validateDomainPrefixedPath(value: string | undefined, path: FieldPath): FieldError[] {
  if (!value) return [required(path)];
  const slash = value.indexOf('/');
  if (slash <= 0 || slash === value.length - 1) {
    return [invalidValue(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const host = value.slice(0, slash);
  const rest = value.slice(slash + 1);
  const errors = dns1123Subdomain(host).map((problem) => invalidValue(path, host, problem));
  if (!new RegExp(`^${PATH}$`).test(rest)) {
    errors.push(invalidValue(path, rest, `Invalid path (regex used for validation is '${PATH}')`));
  }
  return errors;
}
