import { type FieldError, FieldPath } from '#base/errors/field-error.ts';
import type { Job, JobSpec } from '#schema/generated/batch.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { validateImmutable } from '#schema/validation/immutable.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { validateSelectorKept } from '../apps/workload-selector.ts';

const SPEC = new FieldPath('spec');

/** Whether the job never ran: while it is suspended, a client may still change where its pods are to run. */
function maySteer({ spec, status }: Job, { gates }: WriteContext): boolean {
  return gates.enabled('JobMutableNodeSchedulingDirectives') && spec?.suspend === true && status?.startTime == null;
}

type Affinity = NonNullable<PodTemplateSpec['spec']>['affinity'];

/** The old affinity with the node affinity of the new one; undefined where the new one is and the old had no other. */
function steeredAffinity(old: Affinity, affinity: Affinity): Affinity {
  const { nodeAffinity: _old, ...others } = old ?? {};
  if (affinity === undefined) return Object.keys(others).length > 0 ? others : undefined;
  return { ...others, ...(affinity.nodeAffinity === undefined ? {} : { nodeAffinity: affinity.nodeAffinity }) };
}

/** The old template, with everything that says where pods run taken from the new one. */
function steered(old: PodTemplateSpec, template: PodTemplateSpec): object {
  const { labels, annotations } = template.metadata ?? {};
  const { affinity, nodeSelector, tolerations } = template.spec ?? {};
  return {
    ...old,
    metadata: { ...old.metadata, labels, annotations },
    spec: { ...old.spec, affinity: steeredAffinity(old.spec?.affinity, affinity), nodeSelector, tolerations },
  };
}

/** What an update may not change of a job's spec. */
export function validateJobChange(spec: JobSpec, old: Job, context: WriteContext): FieldError[] {
  const before = old.spec?.template ?? {};
  const template = maySteer(old, context) ? steered(before, spec.template) : before;
  return [
    ...validateImmutable(spec.completions, old.spec?.completions, SPEC.child('completions')),
    ...validateSelectorKept(spec.selector, old.spec?.selector, SPEC.child('selector')),
    ...validateImmutable(spec.template, template, SPEC.child('template')),
    ...validateImmutable(spec.completionMode, old.spec?.completionMode, SPEC.child('completionMode')),
    ...validateImmutable(spec.podFailurePolicy, old.spec?.podFailurePolicy, SPEC.child('podFailurePolicy')),
  ];
}
