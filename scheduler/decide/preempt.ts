import { selects } from '#client/label-selector.ts';
import type { PodDisruptionBudget } from '#schema/generated/policy.v1.ts';
import type { Filter, Refusal } from '../filters/filter.ts';
import { filters as allFilters } from '../filters/index.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import { type View, viewWith } from '../state/view.ts';
import { checksFor, firstRefusal, type Nominated } from './choose-node.ts';

/** A node that could take a pod if other pods were evicted. */
export interface Candidate {
  readonly node: NodeInfo;
  readonly victims: readonly PodInfo[];
  /** The number of victims whose budget does not allow an eviction. */
  readonly violations: number;
}

/**
 * The largest share of the nodes that is tried. If there are enough nodes, the number is never smaller than this one.
 */
const SHARE = 0.1;
const TRIED_AT_LEAST = 100;

/** Whether other pods may be evicted for a pod. */
export function mayPreempt({ pod, priority }: PodInfo, view: View): boolean {
  if (pod.spec?.preemptionPolicy === 'Never') return false;
  const nominated = view.nodes.get(pod.status?.nominatedNodeName ?? '');
  if (nominated === undefined) return true;
  // Pods that were evicted for it have not ended yet.
  return ![...nominated.pods.values()].some((other) => other.priority < priority && isLeaving(other));
}

function isLeaving({ pod }: PodInfo): boolean {
  return (pod.metadata.deletionTimestamp ?? null) !== null;
}

/**
 * Chooses the node on which the fewest and least important pods must be evicted; undefined if no node is possible.
 *
 * @param pause called between nodes, so that the caller can let other work run
 * @param filters the filters of the pod's profile
 */
export async function choosePreemption(
  pod: PodInfo,
  view: View,
  refusals: ReadonlyMap<string, Refusal>,
  budgets: readonly PodDisruptionBudget[],
  nominated: Nominated = () => [],
  pause: () => Promise<void> = async () => {},
  filters: readonly Filter[] = allFilters,
): Promise<Candidate | undefined> {
  const possible = [...view.nodes.values()].filter(({ name }) => refusals.get(name)?.isFinal === false);
  const most = Math.max(TRIED_AT_LEAST, Math.trunc(view.nodes.size * SHARE));
  const candidates: Candidate[] = [];
  for (const node of possible) {
    const candidate = victimsOn(node, pod, view, budgets, filters, nominated(node.name));
    if (candidate !== undefined) candidates.push(candidate);
    if (candidates.length >= most) break;
    await pause();
  }
  return candidates.reduce<Candidate | undefined>(
    (best, next) => (best === undefined || isBetter(next, best) ? next : best),
    undefined,
  );
}

/** The pods that a node must lose so that a pod fits. They are as few as possible, and the least important ones. */
function victimsOn(
  node: NodeInfo,
  pod: PodInfo,
  view: View,
  budgets: readonly PodDisruptionBudget[],
  filters: readonly Filter[],
  waiting: readonly PodInfo[] = [],
): Candidate | undefined {
  const lower = [...node.pods.values()].filter((other) => other.priority < pod.priority);
  if (lower.length === 0) return undefined;
  const beside = waiting.filter((other) => other.priority >= pod.priority && other.key !== pod.key);
  const stay = new Map([...node.pods].filter(([, other]) => other.priority >= pod.priority));
  for (const other of beside) stay.set(other.key, other);
  const fits = (pods: Iterable<PodInfo>) => {
    const changed = node.withPods(pods);
    const checks = checksFor(pod, viewWith(view, changed), filters);
    return !('blocked' in checks) && firstRefusal(checks, changed) === undefined;
  };
  if (!fits(stay.values())) return undefined;
  const { violating, others } = byBudget(lower.toSorted(moreImportantFirst), budgets);
  const victims: PodInfo[] = [];
  const tryToKeep = (other: PodInfo): boolean => {
    stay.set(other.key, other);
    if (fits(stay.values())) return true;
    stay.delete(other.key);
    victims.push(other);
    return false;
  };
  const violations = violating.filter((other) => !tryToKeep(other)).length;
  for (const other of others) tryToKeep(other);
  return { node, victims, violations };
}

/**
 * Splits pods into those whose budgets do not allow an eviction, and others. The allowed evictions are used in order.
 */
function byBudget(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const allowed = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    let violates = false;
    for (const budget of budgets) {
      const { metadata, spec, status } = budget;
      if (metadata.namespace !== pod.namespace || !hasLabelsOf(pod) || !selects(spec?.selector, pod.labels)) continue;
      if (Object.hasOwn(status?.disruptedPods ?? {}, pod.pod.metadata.name ?? '')) continue;
      const left = allowed.get(budget)! - 1;
      allowed.set(budget, left);
      violates ||= left < 0;
    }
    (violates ? violating : others).push(pod);
  }
  return { violating, others };
}

function hasLabelsOf({ labels }: PodInfo): boolean {
  return Object.keys(labels).length > 0;
}

function moreImportantFirst(a: PodInfo, b: PodInfo): number {
  return b.priority - a.priority || startOf(a) - startOf(b);
}

function startOf({ pod }: PodInfo): number {
  const text = pod.status?.startTime ?? '';
  return text ? Date.parse(text) : Number.MAX_SAFE_INTEGER;
}

/**
 * Compares candidates in the same order as common schedulers: by budgets, the most important victim, the sum of
 * priorities, the number of victims, and their age.
 */
function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.violations !== b.violations) return a.violations < b.violations;
  const [highestA, highestB] = [highest(a), highest(b)];
  if (highestA !== highestB) return highestA < highestB;
  const [sumA, sumB] = [sumOf(a), sumOf(b)];
  if (sumA !== sumB) return sumA < sumB;
  if (a.victims.length !== b.victims.length) return a.victims.length < b.victims.length;
  return earliestStart(a, highestA) > earliestStart(b, highestB);
}

function highest({ victims }: Candidate): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...victims.map(({ priority }) => priority));
}

/** Priorities may be negative. With this offset, more victims never make a sum smaller. */
function sumOf({ victims }: Candidate): number {
  return victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0);
}

/** The time at which the first of the most important victims started. */
function earliestStart({ victims }: Candidate, priority: number): number {
  return Math.min(...victims.filter((victim) => victim.priority === priority).map(startOf));
}
