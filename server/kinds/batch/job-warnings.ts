import type { FieldPath } from '#base/errors/field-error.ts';
import type { JobSpec } from '#schema/generated/batch.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { workloadWarnings } from '../apps/workload-template.ts';
import { productName } from '../product-name.ts';

/** The numbers from which the list of completed indexes may become too long. */
const MANY_COMPLETIONS = 100_000;
const MANY_AT_ONCE = 10_000;

/** A message with the name of the product, which begins with a capital letter. */
function mayLoseTrack(product: string): string {
  return `In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, ${product} might not be able to track completedIndexes when a big number of indexes fail`;
}

/** The warnings about the job in an object, if the object is new or its generation changed. */
export function jobSpecWarnings<T extends ApiObject>(
  object: T,
  old: T | undefined,
  specOf: (object: T) => JobSpec | undefined,
  path: FieldPath,
  context: WriteContext,
): string[] {
  const template = workloadWarnings(object, old, (one) => specOf(one)?.template, path.child('template'), context);
  if (!context.release.atLeast(28)) return template;
  if (old !== undefined && old.metadata.generation === object.metadata.generation) return template;
  const { completionMode, completions = 0, parallelism = 0 } = specOf(object) ?? {};
  const isLarge = completionMode === 'Indexed' && completions > MANY_COMPLETIONS && parallelism > MANY_AT_ONCE;
  return isLarge ? [`${path}: ${mayLoseTrack(productName(context.naming))}`, ...template] : template;
}
