import type { WriteContext } from '../../api/resource-definition.ts';
import { type FieldError, FieldPath } from '../../errors/field-error.ts';
import type { Job, JobSpec } from '../../schema/generated/batch.v1.ts';
import type { PodTemplateSpec } from '../../schema/generated/core.v1.ts';
import { validateImmutable } from '../../validation/immutable.ts';
import { validateSelectorKept } from '../apps/workload-selector.ts';

const SPEC = new FieldPath('spec');

/** Whether the job never ran: while it is suspended, it may still be told where its pods are to run. */
function maySteer({ spec, status }: Job, { gates }: WriteContext): boolean {
  return gates.enabled('JobMutableNodeSchedulingDirectives') && spec?.suspend === true && status?.startTime == null;
}

/** The old template, with everything that says where pods run taken from the new one. */
function steered(old: PodTemplateSpec, template: PodTemplateSpec): PodTemplateSpec {
  const { affinity, nodeSelector, tolerations } = template.spec ?? {};
  const { nodeAffinity: _old, ...otherAffinity } = old.spec?.affinity ?? {};
  const merged = {
    ...otherAffinity,
    ...(affinity?.nodeAffinity === undefined ? {} : { nodeAffinity: affinity.nodeAffinity }),
  };
  return {
    ...old,
    metadata: { ...old.metadata, ...pick(template.metadata, 'labels'), ...pick(template.metadata, 'annotations') },
    spec: {
      ...(old.spec ?? { containers: null }),
      affinity: merged,
      ...(nodeSelector === undefined ? { nodeSelector: {} } : { nodeSelector }),
      ...(tolerations === undefined ? { tolerations: [] } : { tolerations }),
    },
  };
}

function pick(metadata: PodTemplateSpec['metadata'], field: 'labels' | 'annotations'): object {
  return { [field]: metadata?.[field] ?? {} };
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
