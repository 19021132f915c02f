import type { Naming } from '#base/naming/naming.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { byDeletion } from '../pods/deletion-order.ts';
import { backOff, backOffOfIndex } from './back-off.ts';
import { Indexes } from './indexes.ts';
import { isIndexed, isSuspended, replacesOnlyFailed } from './job-pods.ts';
import type { IndexedState, JobState } from './job-state.ts';

/** The largest number of pods to create or delete for one job before the controller checks the job again. */
const BURST = 500;

/** The steps for a running job. Pods are either deleted or created. */
export interface Steps {
  /** Surplus pods. They are deleted and not counted as failed. */
  readonly remove: readonly Pod[];
  /** New pods, by their index. Undefined for each pod if the job has no indexes. */
  readonly create: readonly (number | undefined)[];
  /** How long to wait for the next steps, in milliseconds. */
  readonly waitMs?: number;
}

/** The next steps of a job that continues. */
export function stepsOf(state: JobState, naming: Naming, now: number): Steps {
  const { job, active, terminating, succeeded, indexed, pods, words } = state;
  if (isSuspended(job)) return { remove: active.slice(0, BURST), create: [] };
  const { parallelism = 1, completions } = job.spec ?? {};
  const wanted = wantedPods(parallelism, completions, succeeded, active.length);
  const remove = tooMany(state, active.length - wanted, naming, now).slice(0, BURST);
  if (remove.length > 0) return { remove, create: [] };
  const leaving = replacesOnlyFailed(job) ? terminating.length : 0;
  const missing = Math.min(BURST, wanted - active.length - leaving);
  if (missing <= 0) return { remove: [], create: [] };
  if (indexed?.failed === undefined) {
    const waitMs = backOff(job, pods, words, now);
    if (waitMs > 0) return { remove: [], create: [], waitMs };
  }
  if (indexed === undefined) return { remove: [], create: Array.from({ length: missing }, () => undefined) };
  return newIndexes(state, indexed, missing, now);
}

function wantedPods(parallelism: number, completions: number | undefined, succeeded: number, active: number): number {
  // In a job without a wanted number, the pods know when the work is done. After the first success no more pods are
  // started.
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** Pods to delete. If the job has indexes, the first are pods without an index or with the index of another pod. */
function tooMany(state: JobState, least: number, naming: Naming, now: number): Pod[] {
  const { job, active } = state;
  const order = (pods: readonly Pod[]) => byDeletion(pods, { naming, now, related: active });
  if (!isIndexed(job)) return least > 0 ? order(active).slice(0, least) : [];
  const seen = new Set<number>();
  const left: Pod[] = [];
  const surplus: Pod[] = [];
  for (const pod of order(active).reverse()) {
    const index = state.words.indexOf(pod);
    if (index === undefined || index >= (job.spec?.completions ?? 0) || seen.has(index)) surplus.push(pod);
    else {
      seen.add(index);
      left.push(pod);
    }
  }
  return [...surplus, ...left.reverse().slice(0, Math.max(0, least - surplus.length))];
}

function newIndexes(state: JobState, indexed: IndexedState, missing: number, now: number): Steps {
  const { job, active, terminating, words } = state;
  const indexesOf = (pods: readonly Pod[]) =>
    Indexes.of(pods.map((pod) => words.indexOf(pod)).filter((index) => index !== undefined));
  const leaving = replacesOnlyFailed(job) ? indexesOf(terminating) : Indexes.none;
  const taken = indexed.succeeded
    .with(indexesOf(active))
    .with(leaving)
    .with(indexed.failed ?? Indexes.none);
  const waits: number[] = [];
  const create: number[] = [];
  // An index that must wait does not prevent the start of others.
  for (const index of taken.firstMissing(missing + indexed.kept.size, indexed.completions)) {
    const wait = backOffOfIndex(indexed.kept.get(index), words, now);
    if (wait > 0) waits.push(wait);
    else if (create.length < missing) create.push(index);
  }
  return { remove: [], create, ...(waits.length > 0 ? { waitMs: Math.min(...waits) } : {}) };
}
