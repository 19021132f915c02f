import type { ReplicaSet } from '#schema/generated/apps.v1.ts';
import type { Leeway } from './amounts.ts';

/** A replica set of a deployment, with the facts from which the steps of a rollout are computed. */
export interface SetState {
  readonly name: string;
  /** The wanted number of its pods. */
  readonly size: number;
  /** The number of its pods. */
  readonly pods: number;
  readonly ready: number;
  readonly available: number;
  /** Whether its counts are older than its last scaling, which may still create or delete pods. */
  readonly isBehind: boolean;
  /** The number of its pods that are being deleted; undefined if its status lacks it. */
  readonly terminating?: number | undefined;
  /** The time of its creation, in milliseconds since 1970. */
  readonly created: number;
  /** The largest number of pods that the deployment could have at its last scaling; 0 if unknown. */
  readonly outOf: number;
  /** The number of pods that its deployment wanted then; undefined if unknown. */
  readonly desired: number | undefined;
}

/** The facts that determine a step of a rollout. */
export interface Rollout extends Leeway {
  readonly wanted: number;
  /** The set of the present template; undefined if it does not exist yet. */
  readonly fresh: SetState | undefined;
  readonly old: readonly SetState[];
}

/** New sizes of replica sets by name. A set whose size does not change is missing. */
export type Sizes = ReadonlyMap<string, number>;

const NONE: Sizes = new Map();

/** The state of a replica set. */
export function stateOf(
  { metadata, spec, status }: ReplicaSet,
  annotated: (what: 'desired' | 'max') => number | undefined,
): SetState {
  return {
    name: metadata.name!,
    size: spec?.replicas ?? 1,
    pods: status?.replicas ?? 0,
    ready: status?.readyReplicas ?? 0,
    available: status?.availableReplicas ?? 0,
    isBehind: (status?.observedGeneration ?? 0) < (metadata.generation ?? 0),
    terminating: status?.terminatingReplicas,
    created: Date.parse(metadata.creationTimestamp ?? '') || 0,
    outOf: annotated('max') ?? 0,
    desired: annotated('desired'),
  };
}

/** The sum of a count of replica sets. */
export function sumOf(sets: readonly SetState[], count: 'size' | 'pods' | 'ready' | 'available'): number {
  return sets.reduce((sum, set) => sum + set[count], 0);
}

/** The number of pods that the present set of a rolling deployment may have now. */
export function freshSize({ wanted, surge, fresh, old }: Rollout): number {
  const size = fresh?.size ?? 0;
  // Pods that sets must still delete use up room too.
  const taken = old.reduce((sum, set) => sum + Math.max(set.size, set.pods), 0);
  const room = wanted + surge - size - taken;
  return room <= 0 ? size : size + Math.max(0, Math.min(room, wanted - size));
}

/**
 * The next step of a rolling deployment. It is empty if the deployment must wait or is complete. It waits for sets
 * whose counts are behind. A set whose size was reduced and increased again may still delete pods that it counts as
 * available. A set whose size was increased and reduced again may still create pods.
 */
export function rollingStep(rollout: Rollout): Sizes {
  const { wanted, fresh, old } = rollout;
  if (fresh === undefined || [fresh, ...old].some(({ isBehind }) => isBehind)) return NONE;
  const next = fresh.size > wanted ? wanted : freshSize(rollout);
  return next === fresh.size ? shrinkOld(rollout, fresh) : new Map([[fresh.name, next]]);
}

/** Removes as many old pods as availability allows: first the unavailable ones, then the oldest ones. */
function shrinkOld({ wanted, unavailable, old: counted }: Rollout, fresh: SetState): Sizes {
  // A set whose size was reduced still counts pods that it will delete soon.
  const old = counted.map((set) => ({ ...set, available: Math.min(set.available, set.size) }));
  if (sumOf(old, 'size') === 0) return NONE;
  const least = wanted - unavailable;
  const coming = fresh.size - fresh.available;
  let spare = sumOf(old, 'size') + fresh.size - least - coming;
  if (spare <= 0) return NONE;
  const sizes = new Map<string, number>();
  const sorted = [...old].sort((a, b) => a.created - b.created);
  const sizeOf = ({ name, size }: SetState) => sizes.get(name) ?? size;
  for (const set of sorted) {
    const down = Math.min(spare, Math.max(0, set.size - set.available));
    if (down === 0) continue;
    sizes.set(set.name, set.size - down);
    spare -= down;
  }
  let left = sumOf(old, 'available') + fresh.available - least;
  for (const set of sorted) {
    const down = Math.min(left, sizeOf(set));
    if (down <= 0) continue;
    sizes.set(set.name, sizeOf(set) - down);
    left -= down;
  }
  return sizes;
}

/** Reduces old sets to zero pods. */
export function emptied(old: readonly SetState[]): Sizes {
  return new Map(old.filter(({ size }) => size > 0).map(({ name }) => [name, 0]));
}

/**
 * Whether the number of wanted pods has changed since the sets were scaled. If so, they are scaled before any other
 * step.
 */
export function isScaled({ wanted, fresh, old }: Rollout): boolean {
  return [...(fresh ? [fresh] : []), ...old].some(
    ({ size, desired }) => size > 0 && desired !== undefined && desired !== wanted,
  );
}

/**
 * The sizes after the number of wanted pods has changed, or while a deployment is paused. In the middle of a rollout
 * each set keeps its share of the pods. Sets in the result get the new number, even if their size does not change.
 */
export function scaledSizes(rollout: Rollout, rolling: boolean): Sizes {
  const { wanted, surge, fresh, old } = rollout;
  const all = [...(fresh ? [fresh] : []), ...old];
  const active = all.filter(({ size }) => size > 0);
  if (active.length <= 1) {
    const only = active[0] ?? fresh ?? [...old].sort((a, b) => b.created - a.created)[0];
    return only === undefined || (only.size === wanted && only.desired === wanted)
      ? NONE
      : new Map([[only.name, wanted]]);
  }
  if (fresh !== undefined && fresh.size === wanted && fresh.desired === wanted && fresh.available === wanted)
    return emptied(old);
  if (!rolling) return NONE;
  const most = wanted > 0 ? wanted + surge : 0;
  const change = most - sumOf(active, 'size');
  active.sort((a, b) => b.size - a.size || (change > 0 ? b.created - a.created : a.created - b.created));
  let changed = 0;
  const sizes = new Map<string, number>();
  for (const set of active) {
    const share = shareOf(set, change, change - changed, wanted, most, sumOf(all, 'pods'));
    sizes.set(set.name, set.size + share);
    changed += share;
  }
  const largest = active[0]!;
  sizes.set(largest.name, Math.max(0, sizes.get(largest.name)! + change - changed));
  return sizes;
}

/** The part of a total change in pods that one set gets. */
function shareOf(
  { size, outOf }: SetState,
  change: number,
  left: number,
  wanted: number,
  most: number,
  pods: number,
): number {
  if (change === 0 || left === 0) return 0;
  const before = outOf || pods;
  if (wanted > 0 && before === 0) return 0;
  const share = wanted === 0 ? -size : roundHalfUp((size * most) / before) - size;
  return change > 0 ? Math.min(share, left) : Math.max(share, left);
}

/** Halves are rounded away from zero. */
function roundHalfUp(value: number): number {
  return Math.sign(value) * Math.floor(Math.abs(value) + 0.5);
}
