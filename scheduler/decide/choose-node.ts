import type { Blocked, Check, Filter, Refusal } from '../filters/filter.ts';
import { defaultProfile, type Profile } from '../profiles/profile.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import { type View, viewWith } from '../state/view.ts';

/** The reasons why no node takes a pod. */
export interface NoNode {
  /** The reason of each node, by its name. */
  readonly refusals: ReadonlyMap<string, Refusal>;
  /** The reason why no node can take the pod, whichever it is. In this case no node was checked. */
  readonly blocked: Blocked | undefined;
}

/** A node for a pod, or the reason why there is none. */
export type Choice = { readonly node: NodeInfo } | NoNode;

/** Pods that wait for a node to become free for them, by the name of the node. */
export type Nominated = (node: string) => readonly PodInfo[];

/** The search for nodes ends when this number of nodes can take the pod, or more in large clusters. */
const ENOUGH_AT_LEAST = 100;

/**
 * The number of possible nodes that are enough to choose from.
 *
 * @param percentage of all nodes. 0 means a share that decreases with the number of nodes.
 */
export function enough(nodes: number, percentage = 0): number {
  if (nodes <= ENOUGH_AT_LEAST || percentage >= 100) return nodes;
  const percent = percentage === 0 ? Math.max(5, 50 - Math.trunc(nodes / 125)) : percentage;
  return Math.max(ENOUGH_AT_LEAST, Math.trunc((nodes * percent) / 100));
}

/** The checks that a node must pass for a pod. Each gives the refusal of its filter. */
export function checksFor(pod: PodInfo, view: View, table: readonly Filter[]): readonly Check[] | Blocked {
  const checks: Check[] = [];
  for (const { name, prepare } of table) {
    const check = prepare(pod, view);
    if (check === undefined) continue;
    if ('blocked' in check) return { ...check, by: name };
    checks.push((node) => {
      const refusal = check(node);
      return refusal === undefined ? undefined : { ...refusal, by: name };
    });
  }
  return checks;
}

export function firstRefusal(checks: readonly Check[], node: NodeInfo): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(node);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/**
 * Chooses the node for a pod: the node with the highest score among those that no filter refuses. Among equal nodes it
 * chooses at random.
 *
 * @param from the place in the list of nodes at which the search begins, so that not always the same nodes are checked
 * @param profile gives the filters and scores
 */
export function chooseNode(
  pod: PodInfo,
  view: View,
  nominated: Nominated = () => [],
  from = 0,
  random: () => number = Math.random,
  profile: Profile = defaultProfile,
): Choice {
  const checks = checksFor(pod, view, profile.filters);
  if ('blocked' in checks) return { refusals: new Map(), blocked: checks };
  const all = [...view.nodes.values()];
  const wanted = enough(all.length, profile.percentageOfNodesToScore);
  const refusals = new Map<string, Refusal>();
  const fitting: NodeInfo[] = [];
  for (let i = 0; i < all.length && fitting.length < wanted; i++) {
    const node = all[(from + i) % all.length]!;
    const refusal = firstRefusal(checks, node) ?? refusalWith(pod, node, view, nominated, profile);
    if (refusal === undefined) fitting.push(node);
    else refusals.set(node.name, refusal);
  }
  if (fitting.length === 0) return { refusals, blocked: undefined };
  return { node: fitting.length === 1 ? fitting[0]! : best(pod, view, fitting, random, profile) };
}

/**
 * The reason why a node cannot take a pod together with the pods that wait for the node and are at least as important.
 */
function refusalWith(
  pod: PodInfo,
  node: NodeInfo,
  view: View,
  nominated: Nominated,
  { filters }: Profile,
): Refusal | undefined {
  const others = nominated(node.name).filter((other) => other.priority >= pod.priority && other.key !== pod.key);
  if (others.length === 0) return undefined;
  const full = node.withPods([...node.pods.values(), ...others]);
  const checks = checksFor(pod, viewWith(view, full), filters);
  return 'blocked' in checks ? undefined : firstRefusal(checks, full);
}

/** The sum of all scores for each node. */
function scoreNodes(pod: PodInfo, view: View, nodes: readonly NodeInfo[], { scores }: Profile): readonly number[] {
  const sums = nodes.map(() => 0);
  for (const { weight, prepare } of scores) {
    const comparison = prepare(pod, view, nodes);
    if (comparison === undefined) continue;
    const numbers = nodes.map(comparison.of);
    const levelled = comparison.level?.(numbers, nodes) ?? numbers;
    for (const [i, number] of levelled.entries()) sums[i]! += weight * number;
  }
  return sums;
}

function best(pod: PodInfo, view: View, nodes: readonly NodeInfo[], random: () => number, profile: Profile): NodeInfo {
  const sums = scoreNodes(pod, view, nodes, profile);
  const most = Math.max(...sums);
  const among = nodes.filter((_, i) => sums[i] === most);
  return among[Math.trunc(random() * among.length)]!;
}
