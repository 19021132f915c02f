import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { View } from '../state/view.ts';
import { readTerm, type Term } from './affinity-terms.ts';
import { type Filter, refuse, refuseFinally } from './filter.ts';

/** Numbers by the key and a value of a topology. */
class Counts {
  readonly #counts = new Map<string, Map<string, number>>();
  #sum = 0;

  add(key: string, { labels }: NodeInfo): void {
    if (!Object.hasOwn(labels, key)) return;
    const values = this.#counts.get(key) ?? new Map<string, number>();
    this.#counts.set(key, values);
    values.set(labels[key]!, (values.get(labels[key]!) ?? 0) + 1);
    this.#sum++;
  }

  has(key: string, { labels }: NodeInfo): boolean {
    return Object.hasOwn(labels, key) && (this.#counts.get(key)?.get(labels[key]!) ?? 0) > 0;
  }

  get isEmpty(): boolean {
    return this.#sum === 0;
  }

  /** Whether there is a number for one of the topologies of a node. */
  hasAny({ labels }: NodeInfo): boolean {
    for (const [key, values] of this.#counts)
      if (Object.hasOwn(labels, key) && (values.get(labels[key]!) ?? 0) > 0) return true;
    return false;
  }
}

/** The places from which pods on nodes exclude this pod. */
function keptAway(pod: PodInfo, view: View): Counts {
  const counts = new Counts();
  for (const node of view.nodes.values())
    for (const other of node.withAntiAffinity.values())
      for (const term of other.antiAffinity) {
        const read = readTerm(term, other, view);
        if (read.matches(pod)) counts.add(read.topologyKey, node);
      }
  return counts;
}

/**
 * Counts the pods that terms select, by topology. For affinity, all terms must select the pod. Otherwise one term is
 * enough.
 */
function whereabouts(terms: readonly Term[], view: View, all: boolean): Counts {
  const counts = new Counts();
  if (terms.length === 0) return counts;
  for (const node of view.nodes.values())
    for (const other of node.pods.values()) {
      if (all) {
        if (terms.every((term) => term.matches(other)))
          for (const { topologyKey } of terms) counts.add(topologyKey, node);
      } else for (const term of terms) if (term.matches(other)) counts.add(term.topologyKey, node);
    }
  return counts;
}

/** Refuses nodes that break the required affinity or anti-affinity between pods. */
export const podAffinity: Filter = {
  name: 'InterPodAffinity',
  prepare(pod, view) {
    const away = keptAway(pod, view);
    const near = pod.affinity.map((term) => readTerm(term, pod, view));
    const far = pod.antiAffinity.map((term) => readTerm(term, pod, view));
    if (away.isEmpty && near.length === 0 && far.length === 0) return undefined;
    const [wanted, unwanted] = [whereabouts(near, view, true), whereabouts(far, view, false)];
    // The first pod of a group that must be together may run on any node.
    const isFirst = wanted.isEmpty && near.every((term) => term.matches(pod));
    return (node) => {
      const isNear = near.every(
        ({ topologyKey }) => Object.hasOwn(node.labels, topologyKey) && (isFirst || wanted.has(topologyKey, node)),
      );
      if (!isNear) return refuseFinally("node(s) didn't match pod affinity rules");
      if (far.some(({ topologyKey }) => unwanted.has(topologyKey, node)))
        return refuse("node(s) didn't match pod anti-affinity rules");
      return away.hasAny(node) ? refuse("node(s) didn't satisfy existing pods anti-affinity rules") : undefined;
    };
  },
};
