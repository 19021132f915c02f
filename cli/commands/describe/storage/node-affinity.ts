import type { VolumeNodeAffinity } from '#schema/generated/core.v1.ts';
import type { DescriptionWriter } from '../writer.ts';

interface Requirement {
  readonly key: string;
  readonly operator?: string;
  readonly values?: readonly string[] | null;
}

/** Describes the nodes that can access a volume. */
export function describeNodeAffinity(writer: DescriptionWriter, affinity: VolumeNodeAffinity | null | undefined): void {
  writer.line(0, affinity ? 'Node Affinity:\t' : 'Node Affinity:\t<none>');
  if (!affinity) return;
  const terms = affinity.required?.nodeSelectorTerms ?? [];
  writer.line(1, terms.length > 0 ? 'Required Terms:\t' : 'Required Terms:\t<none>');
  terms.forEach(({ matchExpressions }, at) => {
    writer.list(2, `Term ${at}`, (matchExpressions ?? []).map(requirementText));
  });
}

/** A requirement on a label as text: `zone in [a, b]`. */
export function requirementText({ key, operator = 'In', values }: Requirement): string {
  const list = values?.length ? ` [${values.join(', ')}]` : '';
  return `${key} ${operator === 'Exists' ? 'exists' : operator.toLowerCase()}${list}`;
}
