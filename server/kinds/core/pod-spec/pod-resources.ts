import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
} from '#base/errors/field-error.ts';
import { isOfPods } from '#schema/conversion/core/default-pod-resources.ts';
import type { PodSpec } from '#schema/generated/core.v1.ts';
import { totalOfContainers } from '#schema/validation/container-totals.ts';
import { resourceNames } from '#schema/validation/resource-names.ts';
import { validateResourceRequirements } from '#schema/validation/resources.ts';
import { parseQuantity } from '#schema/values/quantity.ts';
import type { PodSpecContext } from './context.ts';
import { KnownClaims, validateUsedClaims } from './resource-claims.ts';

const OF_PODS = ['cpu', 'hugepages-', 'memory'];
const LISTS = ['limits', 'requests'] as const;

/**
 * Validates pod-level requests and limits. Only some resources are allowed, and an amount must not be smaller than the
 * amount of the containers.
 */
export function validatePodResources(spec: PodSpec, path: FieldPath, context: PodSpecContext): FieldError[] {
  const { resources } = spec;
  if (resources === undefined) return [];
  const at = path.child('resources');
  if (spec.os?.name === 'windows') return [forbiddenField(at, 'may not be set for a windows pod')];
  const errors: FieldError[] = [];
  for (const list of LISTS)
    for (const name of Object.keys(resources[list] ?? {}))
      if (!isOfPods(name)) errors.push(notSupported(at.child(list).key(name), name, OF_PODS));
  if ((resources.claims ?? []).length > 0) {
    errors.push(forbiddenField(at.child('claims'), 'claims may not be set for Resources at pod-level'));
    append(errors, validateUsedClaims(resources.claims, new KnownClaims(spec), at.child('claims')));
  }
  if (errors.some(({ type }) => type === 'FieldValueNotSupported')) return errors;
  append(errors, validateResourceRequirements(resources, resourceNames(context.naming), at, context.release));
  return errors.length > 0 ? errors : validateAgainstContainers(spec, at);
}

function validateAgainstContainers(spec: PodSpec, path: FieldPath): FieldError[] {
  const { limits = {} } = spec.resources ?? {};
  const errors: FieldError[] = [];
  for (const list of LISTS) {
    const needed = totalOfContainers(spec, list);
    for (const [name, value] of Object.entries(spec.resources?.[list] ?? {})) {
      const own = needed[name];
      if (own === undefined || (list === 'limits' && !name.startsWith('hugepages-'))) continue;
      if (parseQuantity(value).nanos >= own.nanos) continue;
      const detail = `must be greater than or equal to aggregate container ${list} of ${own.toString()}`;
      errors.push(invalidValue(path.child(list).key(name), value, detail));
    }
  }
  (spec.containers ?? []).forEach(({ resources }, i) => {
    for (const [name, value] of Object.entries(resources?.limits ?? {})) {
      const most = limits[name];
      if (most === undefined || parseQuantity(value).nanos <= parseQuantity(most).nanos) continue;
      const at = path.child('containers').index(i).key(name).child('limits');
      errors.push(invalidValue(at, value, `must be less than or equal to pod limits of ${most}`));
    }
  });
  return errors;
}
