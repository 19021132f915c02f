import { type FieldError, invalidValue } from '#base/errors/field-error.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { WriteContext } from '../../api/resource-definition.ts';

/**
 * Later releases reserve names with this end for configurations that servers read from files. Clients of several
 * releases see the same names. So a name that is valid in one release must not become an error in the next without a
 * warning.
 */
function problemOf({ metadata: { name = '' } }: ApiObject, { naming }: WriteContext): string | undefined {
  const end = `.static.${naming.domain()}`;
  if (!name.endsWith(end)) return undefined;
  return `names ending with ${JSON.stringify(end)} are reserved for static manifest-based configurations and cannot be managed via the API`;
}

/**
 * The error about a new configuration or policy with a reserved name. It exists since the release in which the gate is
 * on.
 */
export function reservedName(object: ApiObject, context: WriteContext): FieldError[] {
  const problem = problemOf(object, context);
  if (problem === undefined || !context.gates.enabled('ManifestBasedAdmissionControlConfig')) return [];
  return [invalidValue('metadata.name', object.metadata.name!, problem)];
}

/** Since 1.36, the warning about such a name if it is not an error. */
export function reservedNameWarnings(object: ApiObject, old: ApiObject | undefined, context: WriteContext): string[] {
  const problem = problemOf(object, context);
  if (problem === undefined || !context.release.atLeast(36)) return [];
  const isError = old === undefined && context.gates.enabled('ManifestBasedAdmissionControlConfig');
  return isError ? [] : [`metadata.name: ${problem}`];
}
