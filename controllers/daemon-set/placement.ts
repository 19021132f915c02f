import type { Naming } from '#base/naming/naming.ts';
import { selectsNode } from '#client/node-selector.ts';
import type { Affinity, Node, Pod, PodSpec, PodTemplateSpec, Taint, Toleration } from '#schema/generated/core.v1.ts';
import { tolerates } from '../taint-eviction/tolerations.ts';

/** Whether a daemon may start on a node, and whether a running one may stay there. */
export interface Placement {
  readonly starts: boolean;
  readonly stays: boolean;
}

const NOWHERE: Placement = { starts: false, stays: false };
const KEEPS_OUT = new Set(['NoSchedule', 'NoExecute']);

/** Taints that daemons tolerate, with their effect, because daemons serve the node itself. */
const TOLERATED: readonly (readonly [taint: string, effect: string])[] = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
];

/** The tolerations of a daemon: those of its template, and those of all daemons. */
export function tolerationsOf(spec: PodSpec | undefined, naming: Naming): Toleration[] {
  const own = [...(spec?.tolerations ?? [])];
  const wanted = [...TOLERATED, ...(spec?.hostNetwork ? ([['network-unavailable', 'NoSchedule']] as const) : [])];
  for (const [taint, effect] of wanted) {
    const toleration = { key: naming.key(`node/${taint}`), operator: 'Exists', effect };
    const same = own.some(
      (other) =>
        other.key === toleration.key &&
        other.operator === 'Exists' &&
        other.effect === effect &&
        other.value === undefined &&
        other.tolerationSeconds == null,
    );
    if (!same) own.push(toleration);
  }
  return own;
}

/** Whether the daemon of a template runs on a node. */
export function placementOn({ metadata, spec }: Node, template: PodTemplateSpec, naming: Naming): Placement {
  const { nodeName, nodeSelector, affinity, tolerations: _ } = template.spec ?? {};
  const node = { name: metadata.name!, labels: metadata.labels ?? {} };
  if (nodeName && nodeName !== node.name) return NOWHERE;
  for (const [key, value] of Object.entries(nodeSelector ?? {}))
    if (!Object.hasOwn(node.labels, key) || node.labels[key] !== value) return NOWHERE;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required && !selectsNode(required, node)) return NOWHERE;
  const tolerations = tolerationsOf(template.spec, naming);
  const bad = ({ effect, ...taint }: Taint) =>
    KEEPS_OUT.has(effect) && !tolerations.some((toleration) => tolerates(toleration, { effect, ...taint }));
  const keptOut = (spec?.taints ?? []).filter(bad);
  return { starts: keptOut.length === 0, stays: keptOut.every(({ effect }) => effect !== 'NoExecute') };
}

/** A node affinity that makes the scheduler place a pod on one node. It is added to the affinity of the pod. */
export function affinityTo(node: string, affinity: Affinity | undefined): Affinity {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  const { nodeAffinity } = affinity ?? {};
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const nodeSelectorTerms = terms.length === 0 ? [{ matchFields }] : terms.map((term) => ({ ...term, matchFields }));
  return {
    ...affinity,
    nodeAffinity: { ...nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  };
}

/** The fields of pods that {@link nodeOf} reads. */
export const NODE_FIELDS = [
  'spec.nodeName',
  'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchFields',
];

/**
 * The node of a daemon: the node on which it runs, or otherwise the node for which it was made. Undefined if it names
 * none.
 */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { matchFields } of terms ?? [])
    for (const { key, operator, values } of matchFields ?? [])
      if (key === 'metadata.name' && operator === 'In' && values?.length === 1) return values[0];
  return undefined;
}
