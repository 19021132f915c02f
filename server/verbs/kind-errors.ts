import { invalidValue } from '#base/errors/field-error.ts';
import { badRequest, invalid, type StatusError } from '#base/errors/status-error.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { groupOf, shortGroupOf, versionOf } from '#schema/values/api-version.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { Registry } from '../resources/registry.ts';
import type { Expected } from './expected.ts';

// These errors are about the kind and the version in a body.

/** The name of a JSON type in error messages that clients of the field know. */
export function jsonTypeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'number';
}

/** The detail of the error about a body that is not an object. */
export function notAnObject(value: JsonValue): string {
  return `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}

/** The refusal of a built-in kind's body that has another kind or version. */
export function refuseKind(
  registry: Registry,
  context: RequestContext,
  kind: string,
  apiVersion: string,
  expected: Expected,
): StatusError {
  const cannot = `${kind} in version ${JSON.stringify(versionOf(apiVersion))} cannot be handled as a ${expected.kind}`;
  const known = isKnown(registry, context, kind, apiVersion);
  if (
    kind === expected.kind &&
    apiVersion !== expected.apiVersion &&
    (known || olderVersion(registry, apiVersion, expected))
  ) {
    return otherVersion(apiVersion, expected);
  }
  if (known) return badRequest(`${cannot}: ${unknownConversion(registry.naming, kind, apiVersion, expected)}`);
  return badRequest(`${cannot}: ${notRegistered(kind, apiVersion)}`);
}

/** Whether the server has this kind in this version. */
export function isKnown(registry: Registry, context: RequestContext, kind: string, apiVersion: string): boolean {
  const short = shortGroupOf(registry.naming, apiVersion);
  if (short === '' && kind === 'List') return true;
  if (registry.schema.kind(short, versionOf(apiVersion), kind) !== undefined) return true;
  return (context.resources ?? registry.current()).ofKind(apiVersion, kind).length > 0;
}

/** The message that a version has no kind of this name. */
export function notRegistered(kind: string, apiVersion: string): string {
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
}

/**
 * The message that an object of one kind cannot be converted to another kind. It names the expected kind by the first
 * part of its group.
 */
export function unknownConversion(naming: Naming, kind: string, apiVersion: string, expected: Expected): string {
  const [part = ''] = shortGroupOf(naming, expected.apiVersion).split('.');
  return `converting (${versionOf(apiVersion)}.${kind}) to (${part || 'core'}.${expected.kind}): unknown conversion`;
}

/** The refusal of a custom resource's body that has another kind or version. */
export function otherKind(value: JsonObject, kind: string, apiVersion: string, expected: Expected): StatusError {
  return kind === expected.kind ? otherVersion(apiVersion, expected) : mistaken(value, { kind, apiVersion }, expected);
}

/** The refusal of a body of the expected kind in another version. */
export function otherVersion(apiVersion: string, expected: Expected): StatusError {
  return badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
  );
}

/** The error 422 about an object that has another kind or version. */
export function mistaken(
  value: JsonObject,
  said: { readonly kind: string; readonly apiVersion: string },
  expected: Expected,
): StatusError {
  const { kind, apiVersion } = said;
  const errors = [
    ...(kind === expected.kind ? [] : [invalidValue('kind', kind, `must be ${expected.kind}`)]),
    ...(apiVersion === expected.apiVersion
      ? []
      : [invalidValue('apiVersion', apiVersion, `must be ${expected.apiVersion}`)]),
  ];
  const name = isObject(value.metadata) ? value.metadata.name : undefined;
  return invalid({ group: groupOf(apiVersion), kind }, typeof name === 'string' ? name : '', errors);
}

/** Whether an apiVersion looks like an earlier version of the expected group. */
function olderVersion(registry: Registry, apiVersion: string, expected: Expected): boolean {
  const [group, version] = apiVersion.split('/');
  if (version === undefined || !version.includes('beta')) return false;
  return expected.apiVersion.startsWith(`${group}/`) || registry.naming.shortGroup(group!) !== undefined;
}

/** The detail of the error about a kind or an apiVersion that is not a text. */
export function notText(value: JsonValue, field: 'kind' | 'apiVersion'): string {
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(value)} into Go struct field .${field} of type string`;
}

/** The detail of the error about an apiVersion that has no valid form; undefined if the form is valid. */
export function groupVersionProblem(apiVersion: string): string | undefined {
  return apiVersion.split('/').length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}
