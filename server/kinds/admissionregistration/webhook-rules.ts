import { type FieldError, type FieldPath, invalidValue, notSupported, required } from '#base/errors/field-error.ts';
import type { RuleWithOperations } from '#schema/generated/admissionregistration.v1.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** Validates that a list has at least one value, and no other value beside the wildcard. */
function validateList(values: readonly string[] | undefined, others: string, path: FieldPath): FieldError[] {
  if (values === undefined || values.length === 0) return [required(path)];
  if (values.length === 1 || !values.includes('*')) return [];
  return [invalidValue(path, values, `if '*' is present, must not specify other ${others}`)];
}

/** Validates resources and subresources. A wildcard must not cover another entry. */
function validateResources(resources: readonly string[] | undefined, path: FieldPath): FieldError[] {
  const list = resources ?? [];
  if (list.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const allOfResource = new Set<string>();
  const allOfSubresource = new Set<string>();
  list.forEach((text, i) => {
    if (text === '') {
      errors.push(required(path.index(i)));
      return;
    }
    const slash = text.indexOf('/');
    if (slash < 0) return;
    const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)];
    const covered = (by: string) =>
      invalidValue(path.index(i), text, `if '${by}' is present, must not specify ${text}`);
    if (allOfResource.has(resource)) errors.push(covered(`${resource}/*`));
    if (allOfSubresource.has(subresource)) errors.push(covered(`*/${subresource}`));
    if (subresource === '*') allOfResource.add(resource);
    if (resource === '*') allOfSubresource.add(subresource);
  });
  if (list.length > 1 && list.includes('*/*')) {
    errors.push(invalidValue(path, list, "if '*/*' is present, must not specify other resources"));
  }
  // Clients know that only the last of several resources without a subresource is checked.
  const last = list.findLast((text) => text !== '' && !text.includes('/'));
  if (list.includes('*') && last !== '*') {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalidValue(path, list, detail));
  }
  return errors;
}

/** Validates for which requests a webhook is called. */
export function validateWebhookRule(rule: RuleWithOperations, path: FieldPath): FieldError[] {
  const { operations = [], apiGroups, apiVersions = [], resources, scope } = rule;
  const at = path.child('apiVersions');
  return [
    ...validateList(operations, 'operations', path.child('operations')),
    ...operations.flatMap((operation, i) =>
      OPERATIONS.includes(operation) ? [] : [notSupported(path.child('operations').index(i), operation, OPERATIONS)],
    ),
    ...validateList(apiGroups, 'API groups', path.child('apiGroups')),
    ...validateList(apiVersions, 'API versions', at),
    ...apiVersions.flatMap((version, i) => (version === '' ? [required(at.index(i))] : [])),
    ...validateResources(resources, path.child('resources')),
    ...(scope === undefined || SCOPES.includes(scope) ? [] : [notSupported(path.child('scope'), scope, SCOPES)]),
  ];
}
