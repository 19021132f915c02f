import { type FieldError, FieldPath } from '#base/errors/field-error.ts';
import type { Job, JobSpec } from '#schema/generated/batch.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { validateImmutable } from '#schema/validation/immutable.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { validateSelectorKept } from '../apps/workload-selector.ts';

const SPEC = new FieldPath('spec');

/** Whether the job is suspended and has no pods: it never ran, or its status reports that it is suspended. */
function isAtRest({ spec, status }: Job): boolean {
  const says = (status?.conditions ?? []).some(({ type, status: value }) => type === 'Suspended' && value === 'True');
  return spec?.suspend === true && (status?.startTime == null || says) && (status?.active ?? 0) === 0;
}

/**
 * Whether a client may change where the job's pods run. In earlier releases it may only before the job ran, and in
 * later ones also while the job is suspended.
 */
function maySteer(job: Job, { gates }: WriteContext): boolean {
  if (gates.enabled('MutableSchedulingDirectivesForSuspendedJobs')) return isAtRest(job);
  const neverRan = job.spec?.suspend === true && job.status?.startTime == null;
  return gates.enabled('JobMutableNodeSchedulingDirectives') && neverRan;
}

type Loose<T> = { [field in keyof T]?: T[field] | undefined };
type Spec = Loose<NonNullable<PodTemplateSpec['spec']>>;
type Affinity = Spec['affinity'];

/**
 * The old affinity with the node affinity of the new one; undefined if the new one has none and the old had no other
 * part.
 */
function steeredAffinity(old: Affinity, affinity: Affinity): Affinity {
  const { nodeAffinity: _old, ...others } = old ?? {};
  if (affinity === undefined) return Object.keys(others).length > 0 ? others : undefined;
  return { ...others, ...(affinity.nodeAffinity === undefined ? {} : { nodeAffinity: affinity.nodeAffinity }) };
}

/** The old template, with all rules of the new one about where pods run. */
function steered(old: PodTemplateSpec, template: PodTemplateSpec): { readonly metadata: object; readonly spec?: Spec } {
  const { labels, annotations } = template.metadata ?? {};
  const { affinity, nodeSelector, tolerations, schedulingGates } = template.spec ?? {};
  return {
    ...old,
    metadata: { ...old.metadata, labels, annotations },
    spec: {
      ...old.spec,
      affinity: steeredAffinity(old.spec?.affinity, affinity),
      nodeSelector,
      tolerations,
      schedulingGates,
    },
  };
}

/** The old spec of the pods, with the container resources of the new one. */
function resized(old: Spec, spec: Spec): object {
  const take = (list: 'containers' | 'initContainers') => {
    const [before, now] = [old[list] ?? [], spec[list] ?? []];
    if (before.length !== now.length) return old[list];
    return before.map(({ resources, ...rest }, i) => {
      const given = rest.name === now[i]!.name ? now[i]!.resources : resources;
      return given === undefined ? rest : { ...rest, resources: given };
    });
  };
  return { ...old, containers: take('containers'), initContainers: take('initContainers') };
}

/** Errors of forbidden changes of a job's template. */
function validateTemplate(template: PodTemplateSpec, old: Job, context: WriteContext): FieldError[] {
  const path = SPEC.child('template');
  const before: PodTemplateSpec = old.spec?.template ?? {};
  const expected: { readonly spec?: Spec } = maySteer(old, context) ? steered(before, template) : before;
  if (!context.gates.enabled('MutablePodResourcesForSuspendedJobs') || !isAtRest(old))
    return validateImmutable(template, expected, path);
  return validateImmutable(template.spec, resized(expected.spec ?? {}, template.spec ?? {}), path.child('spec'));
}

/** Fields of later releases that must not change. */
const LATER = ['backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;

/** Errors of forbidden changes of a job's spec. */
export function validateJobChange(spec: JobSpec, old: Job, context: WriteContext): FieldError[] {
  return [
    ...validateImmutable(spec.completions, old.spec?.completions, SPEC.child('completions')),
    ...validateSelectorKept(spec.selector, old.spec?.selector, SPEC.child('selector')),
    ...validateTemplate(spec.template, old, context),
    ...validateImmutable(spec.completionMode, old.spec?.completionMode, SPEC.child('completionMode')),
    ...validateImmutable(spec.podFailurePolicy, old.spec?.podFailurePolicy, SPEC.child('podFailurePolicy')),
    ...LATER.flatMap((field) => validateImmutable(spec[field], old.spec?.[field], SPEC.child(field))),
  ];
}
