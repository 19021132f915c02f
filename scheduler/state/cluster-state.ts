import { keyOf } from '#client/informer/informer.ts';
import type { Node, Pod } from '#schema/generated/core.v1.ts';
import { NodeInfo } from './node-info.ts';
import { isOver, type PodInfo, podInfo } from './pod-info.ts';

/** The nodes, each with its pods and the pods that this scheduler assigned to it a moment ago. */
export class ClusterState {
  readonly nodes = new Map<string, NodeInfo>();
  /** Pods on nodes that are not known yet, by the node's name. */
  readonly #strays = new Map<string, Map<string, PodInfo>>();
  /** The node of each pod that counts. */
  readonly #places = new Map<string, string>();
  /** Pods that this scheduler assigned and that the copy does not show on their node yet. */
  readonly #assumed = new Set<string>();
  readonly #users = new Map<string, number>();
  /** Pods that wait for a node to become free for them, by their key. */
  readonly #nominated = new Map<string, { readonly node: string; readonly pod: PodInfo }>();

  /** The number of pods on nodes, and how many of them the copy does not show there yet. */
  get sizes(): { readonly pods: number; readonly assumed: number } {
    return { pods: this.#places.size, assumed: this.#assumed.size };
  }

  putNode(node: Node): void {
    const name = node.metadata.name ?? '';
    const known = this.nodes.get(name);
    if (known !== undefined) {
      known.node = node;
      return;
    }
    const info = new NodeInfo(node);
    for (const pod of this.#strays.get(name)?.values() ?? []) info.add(pod);
    this.#strays.delete(name);
    this.nodes.set(name, info);
  }

  removeNode(name: string): void {
    const info = this.nodes.get(name);
    if (info === undefined) return;
    this.nodes.delete(name);
    if (info.pods.size > 0) this.#strays.set(name, new Map(info.pods));
  }

  /** Records a pod in the state that the server has. */
  putPod(pod: Pod): void {
    const key = keyOf(pod);
    const node = pod.spec?.nodeName ?? '';
    if (node === '' || isOver(pod)) {
      // A version of the pod from before the assignment does not remove the assignment.
      if (node === '' && this.#assumed.has(key)) return;
      this.removePod(key);
      return;
    }
    this.#assumed.delete(key);
    this.#nominated.delete(key);
    this.#place(podInfo(pod), node);
  }

  removePod(key: string): void {
    this.#assumed.delete(key);
    this.#nominated.delete(key);
    this.#displace(key);
  }

  /** Counts a pod on a node before the server reports it there. */
  assume(pod: PodInfo, node: string): void {
    this.#assumed.add(pod.key);
    this.#nominated.delete(pod.key);
    this.#place(pod, node);
  }

  /** Removes a pod whose assignment the server did not accept. */
  forget(key: string): void {
    if (this.#assumed.delete(key)) this.#displace(key);
  }

  isAssumed(key: string): boolean {
    return this.#assumed.has(key);
  }

  nominate(pod: PodInfo, node: string): void {
    this.#nominated.set(pod.key, { node, pod });
  }

  unnominate(key: string): void {
    this.#nominated.delete(key);
  }

  /** Pods that wait for a node to become free for them. */
  nominatedOn(node: string): readonly PodInfo[] {
    if (this.#nominated.size === 0) return [];
    return [...this.#nominated.values()].filter((one) => one.node === node).map(({ pod }) => pod);
  }

  /** The number of pods on nodes that mount a claim. */
  usersOfClaim(key: string): number {
    return this.#users.get(key) ?? 0;
  }

  #place(pod: PodInfo, node: string): void {
    this.#displace(pod.key);
    this.#places.set(pod.key, node);
    for (const claim of pod.claims) this.#users.set(claim, this.usersOfClaim(claim) + 1);
    const info = this.nodes.get(node);
    if (info !== undefined) {
      info.add(pod);
      return;
    }
    const strays = this.#strays.get(node) ?? new Map<string, PodInfo>();
    this.#strays.set(node, strays);
    strays.set(pod.key, pod);
  }

  #displace(key: string): void {
    const node = this.#places.get(key);
    if (node === undefined) return;
    this.#places.delete(key);
    const info = this.nodes.get(node);
    const strays = this.#strays.get(node);
    const pod = info?.pods.get(key) ?? strays?.get(key);
    for (const claim of pod?.claims ?? []) {
      const left = this.usersOfClaim(claim) - 1;
      if (left > 0) this.#users.set(claim, left);
      else this.#users.delete(claim);
    }
    info?.remove(key);
    strays?.delete(key);
    if (strays?.size === 0) this.#strays.delete(node);
  }
}
