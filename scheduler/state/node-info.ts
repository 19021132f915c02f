import type { Node, Taint } from '#schema/generated/core.v1.ts';
import type { HostPort, PodInfo } from './pod-info.ts';
import { type Resources, readResources } from './resources.ts';

/** A node with the pods that are on it, or about to be. */
export class NodeInfo {
  readonly name: string;
  readonly pods = new Map<string, PodInfo>();
  /** Of its pods, those that keep others away. */
  readonly withAntiAffinity = new Map<string, PodInfo>();
  /** Of its pods, those that say near which others they like or dislike to be. */
  readonly withAffinity = new Map<string, PodInfo>();
  readonly #requested = new Map<string, number>();
  #cpu = 0;
  #memory = 0;
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

  /** What its pods request together. */
  get requested(): Resources {
    return this.#requested;
  }

  /** What its pods count for where nodes are compared. */
  get weight(): { readonly cpu: number; readonly memory: number } {
    return { cpu: this.#cpu, memory: this.#memory };
  }

  get ports(): readonly HostPort[] {
    return [...this.pods.values()].flatMap(({ ports }) => ports);
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

  /** The same with other pods: for asking what would be. */
  withPods(pods: Iterable<PodInfo>): NodeInfo {
    const copy = new NodeInfo(this.#node);
    for (const pod of pods) copy.add(pod);
    return copy;
  }

  #count({ requests, weight }: PodInfo, sign: 1 | -1): void {
    for (const [name, amount] of requests) this.#requested.set(name, (this.#requested.get(name) ?? 0) + sign * amount);
    this.#cpu += sign * weight.cpu;
    this.#memory += sign * weight.memory;
  }
}
