import type { FieldPath } from '#base/errors/field-error.ts';
import type { Container, EphemeralContainer, PodSpec } from '#schema/generated/core.v1.ts';

/** The lists of containers in a pod, in the order in which they are visited. */
const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** All containers of a pod, each with its path. `path` leads to the spec. */
export function visitContainers(
  spec: PodSpec,
  path: FieldPath,
): { readonly container: Container | EphemeralContainer; readonly path: FieldPath }[] {
  return LISTS.flatMap((list) =>
    (spec[list] ?? []).map((container: Container | EphemeralContainer, i) => ({
      container,
      path: path.child(list).index(i),
    })),
  );
}
