import { type Labels, selects } from '#client/label-selector.ts';
import type { PodAffinityTerm } from '#schema/generated/core.v1.ts';
import type { LabelSelector } from '#schema/generated/meta.v1.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { View } from '../state/view.ts';

/** A term of pod affinity, with a check for the pods that it selects. */
export interface Term {
  readonly topologyKey: string;
  /** Whether it selects a pod. */
  readonly matches: (pod: PodInfo) => boolean;
}

/** Reads a term of a pod in a namespace. */
export function readTerm(term: PodAffinityTerm, { namespace, labels }: PodInfo, view: View): Term {
  const { topologyKey, namespaces, namespaceSelector, labelSelector, matchLabelKeys, mismatchLabelKeys } = term;
  const named = new Set(namespaces ?? []);
  if (named.size === 0 && namespaceSelector === undefined) named.add(namespace);
  const selector = withKeys(labelSelector, labels, matchLabelKeys, mismatchLabelKeys);
  const inNamespace = (other: string) => {
    if (named.has(other)) return true;
    return namespaceSelector !== undefined && selects(namespaceSelector, view.namespaceLabels(other));
  };
  return { topologyKey, matches: (pod) => selects(selector, pod.labels) && inNamespace(pod.namespace) };
}

/** A selector that also requires the pod's own values for some keys. */
export function withKeys(
  selector: LabelSelector | undefined,
  labels: Labels,
  same: readonly string[] | null | undefined,
  other?: readonly string[] | null,
): LabelSelector | undefined {
  if (selector === undefined) return undefined;
  const more = (keys: readonly string[] | null | undefined, operator: string) =>
    (keys ?? []).filter((key) => Object.hasOwn(labels, key)).map((key) => ({ key, operator, values: [labels[key]!] }));
  const expressions = [...more(same, 'In'), ...more(other, 'NotIn')];
  if (expressions.length === 0) return selector;
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...expressions] };
}
