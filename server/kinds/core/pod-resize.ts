import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, forbiddenField, invalidValue } from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { Container, Pod, PodSpec } from '#schema/generated/core.v1.ts';
import { qualityOfService } from '#schema/quota/quality-of-service.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import { resourceNames } from '#schema/validation/resource-names.ts';
import { validateResourceRequirements } from '#schema/validation/resources.ts';
import type { SubresourceRules, WriteContext } from '../../api/resource-definition.ts';
import { validateResizePolicy } from './pod-spec/resize-policy.ts';

const SPEC = new FieldPath('spec');
const LISTS = ['containers', 'initContainers'] as const;
const RESIZABLE = new Set(['cpu', 'memory']);
const ONLY_COMPUTE = 'only cpu and memory resources are mutable';

/**
 * Copies everything from the stored pod except the fields that a resize may change: resources of containers, and their
 * policies.
 */
function keepAllButResources(pod: Pod, old: Pod): void {
  const { resourceVersion, managedFields } = pod.metadata;
  const given = pod.spec;
  for (const field of Object.keys(pod)) delete pod[field];
  Object.assign(pod, cloneJson(old));
  if (resourceVersion !== undefined) pod.metadata.resourceVersion = resourceVersion;
  if (managedFields !== undefined) pod.metadata.managedFields = managedFields;
  if (pod.spec === undefined || given === undefined) return;
  for (const list of LISTS) {
    // Of several containers with one name, the first is used.
    const named = new Map((given[list] ?? []).toReversed().map((container) => [container.name, container]));
    for (const container of pod.spec[list] ?? []) {
      const wanted = named.get(container.name);
      if (wanted === undefined) continue;
      for (const field of ['resources', 'resizePolicy'] as const) {
        if (wanted[field] === undefined) delete container[field];
        else Object.assign(container, { [field]: wanted[field] });
      }
    }
  }
  if (given.resources === undefined) delete pod.spec.resources;
  else pod.spec.resources = given.resources;
}

type Requirements = Container['resources'];

/** The requirements without the parts that a resize may change. */
function fixedPart(resources: Requirements): object {
  const without = (amounts: Readonly<Record<string, string>> | undefined) =>
    Object.fromEntries(Object.entries(amounts ?? {}).filter(([name]) => !RESIZABLE.has(name)));
  return { limits: without(resources?.limits), requests: without(resources?.requests), claims: resources?.claims };
}

function validateRemovals(now: Requirements, before: Requirements, path: FieldPath): FieldError[] {
  return (['requests', 'limits'] as const).flatMap((list) => {
    const gone = Object.keys(before?.[list] ?? {}).some(
      (name) => RESIZABLE.has(name) && now?.[list]?.[name] === undefined,
    );
    return gone ? [forbiddenField(path.child(list), `resource ${list} cannot be removed`)] : [];
  });
}

function withoutResources(spec: PodSpec): object {
  const strip = (containers: readonly Container[] | null | undefined) =>
    (containers ?? []).map(({ resources, ...rest }) => ({ ...rest, resources: fixedPart(resources) }));
  return {
    ...spec,
    containers: strip(spec.containers),
    initContainers: strip(spec.initContainers),
    resources: fixedPart(spec.resources),
  };
}

function validateResize(pod: Pod, old: Pod, { naming }: WriteContext): FieldError[] {
  const { spec = { containers: null } } = pod;
  const { spec: before = { containers: null } } = old;
  const errors: FieldError[] = [];
  for (const list of LISTS) {
    (spec[list] ?? []).forEach((container, i) => {
      const path = SPEC.child(list).index(i);
      const was = before[list]?.[i];
      append(
        errors,
        validateResourceRequirements(container.resources, resourceNames(naming), path.child('resources')),
        validateResizePolicy(container, spec.restartPolicy, path.child('resizePolicy')),
        validateRemovals(container.resources, was?.resources, path.child('resources')),
      );
    });
  }
  const quality = qualityOfService(before);
  if (qualityOfService(spec) !== quality)
    errors.push(invalidValue(SPEC, quality, 'Pod QOS Class may not change as a result of resizing'));
  if (errors.length > 0) return errors;
  return semanticallyEqual(withoutResources(spec), withoutResources(before))
    ? []
    : [forbiddenField(SPEC, ONLY_COMPUTE)];
}

/** The view through which clients change processor and memory of an existing pod. */
export const resizeRules: SubresourceRules<Pod> = {
  prepareForUpdate: keepAllButResources,
  validateUpdate: validateResize,
};
