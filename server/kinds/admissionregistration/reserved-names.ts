import { type FieldError, invalidValue } from '#base/errors/field-error.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { WriteContext } from '../../api/resource-definition.ts';

/**
 * Later releases keep names with this end for configurations that servers read from files. Clients of several releases
 * see the same names, so that a name that one release takes must not surprise them in the next one.
 */
function problemOf({ metadata: { name = '' } }: ApiObject, { naming }: WriteContext): string | undefined {
  const end = `.static.${naming.domain()}`;
  if (!name.endsWith(end)) return undefined;
  return `names ending with ${JSON.stringify(end)} are reserved for static manifest-based configurations and cannot be managed via the API`;
}

/** The error of a new configuration or policy whose name is reserved: from the release on that has the gate on. */
export function reservedName(object: ApiObject, context: WriteContext): FieldError[] {
  const problem = problemOf(object, context);
  if (problem === undefined || !context.gates.enabled('ManifestBasedAdmissionControlConfig')) return [];
  return [invalidValue('metadata.name', object.metadata.name!, problem)];
}

/** From 1.36 on, the warning about such a name where it is no error. */
export function reservedNameWarnings(object: ApiObject, old: ApiObject | undefined, context: WriteContext): string[] {
  const problem = problemOf(object, context);
  if (problem === undefined || !context.release.atLeast(36)) return [];
  const isError = old === undefined && context.gates.enabled('ManifestBasedAdmissionControlConfig');
  return isError ? [] : [`metadata.name: ${problem}`];
}
