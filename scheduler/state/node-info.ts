import type { HostPort } from '#client/host-ports.ts';
import type { Node, Taint } from '#schema/generated/core.v1.ts';
import type { PodInfo } from './pod-info.ts';
import { type Resources, readResources, type Weight } from './resources.ts';

/** The largest number of counts that are remembered for a node. */
const MOST_COUNTS = 32;

/** A node with the pods that are on it or will soon be on it. */
export class NodeInfo {
  readonly name: string;
  readonly pods = new Map<string, PodInfo>();
  /** Its pods with anti-affinity to other pods. */
  readonly withAntiAffinity = new Map<string, PodInfo>();
  /** Its pods with affinity or anti-affinity to other pods. */
  readonly withAffinity = new Map<string, PodInfo>();
  /**
   * The number of its pods that each selector selects. It contains only selectors that were used since the last change
   * of the pods.
   */
  readonly #counts = new Map<string, number>();
  readonly #requested = new Map<string, number>();
  readonly #weight = { cpu: 0, memory: 0 };
  #node: Node;
  #allocatable: Resources;

  constructor(node: Node) {
    this.name = node.metadata.name ?? '';
    this.#node = node;
    this.#allocatable = readResources(node.status?.allocatable);
  }

  get node(): Node {
    return this.#node;
  }

  set node(node: Node) {
    this.#node = node;
    this.#allocatable = readResources(node.status?.allocatable);
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#node.metadata.labels ?? {};
  }

  get taints(): readonly Taint[] {
    return this.#node.spec?.taints ?? [];
  }

  get allocatable(): Resources {
    return this.#allocatable;
  }

  /** The sum of the requests of its pods. */
  get requested(): Resources {
    return this.#requested;
  }

  /** The resources of its pods, weighted for comparisons of nodes. */
  get weight(): Weight {
    return this.#weight;
  }

  get ports(): readonly HostPort[] {
    return [...this.pods.values()].flatMap(({ ports }) => ports);
  }

  /**
   * A number that depends only on the pods of the node. It is computed again only after they have changed.
   *
   * @param what the key of the count. Equal keys must mean equal counts.
   */
  counted(what: string, count: (pods: Iterable<PodInfo>) => number): number {
    let known = this.#counts.get(what);
    if (known === undefined) {
      if (this.#counts.size >= MOST_COUNTS) this.#counts.clear();
      known = count(this.pods.values());
      this.#counts.set(what, known);
    }
    return known;
  }

  add(pod: PodInfo): void {
    if (this.pods.has(pod.key)) this.remove(pod.key);
    this.pods.set(pod.key, pod);
    if (pod.antiAffinity.length > 0) this.withAntiAffinity.set(pod.key, pod);
    const { podAffinity, podAntiAffinity } = pod.pod.spec?.affinity ?? {};
    if (podAffinity !== undefined || podAntiAffinity !== undefined) this.withAffinity.set(pod.key, pod);
    this.#count(pod, 1);
  }

  remove(key: string): void {
    const pod = this.pods.get(key);
    if (pod === undefined) return;
    this.pods.delete(key);
    this.withAntiAffinity.delete(key);
    this.withAffinity.delete(key);
    this.#count(pod, -1);
  }

  /** The same node with other pods, to test a change. */
  withPods(pods: Iterable<PodInfo>): NodeInfo {
    const copy = new NodeInfo(this.#node);
    for (const pod of pods) copy.add(pod);
    return copy;
  }

  #count({ requests, weight }: PodInfo, sign: 1 | -1): void {
    this.#counts.clear();
    for (const [name, amount] of requests) this.#requested.set(name, (this.#requested.get(name) ?? 0) + sign * amount);
    this.#weight.cpu += sign * weight.cpu;
    this.#weight.memory += sign * weight.memory;
  }
}
