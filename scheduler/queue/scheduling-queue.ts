import { timerMs } from '#base/time/longest-timer.ts';
import { Heap } from './heap.ts';

/** Changes after which another attempt to schedule a refused pod makes sense. */
export type Change = 'a node' | 'a volume' | 'a pod left' | 'a pod came';

/** A pod that waits to be scheduled. */
interface Waiting {
  readonly key: string;
  readonly priority: number;
  /** The order of arrival, which decides among pods of the same priority. */
  readonly order: number;
  attempts: number;
  /** The time of its first arrival, in milliseconds since 1970. */
  readonly since: number;
  /** The end of the last attempt. */
  triedAt: number;
  /** The changes after which another attempt makes sense. */
  waitsFor: ReadonlySet<Change>;
  /** Whether the pod has changed since it was taken out of the queue. */
  isDue: boolean;
}

const NOTHING_YET = { waitsFor: new Set<Change>(), isDue: false };

/** How many pods wait in each queue. */
export interface Pending {
  readonly active: number;
  readonly backoff: number;
  readonly unschedulable: number;
}

export interface SchedulingQueueOptions {
  readonly now: () => number;
  /** The wait of a pod after its first failure. It doubles after each further failure. */
  readonly firstBackoffMs?: number;
  readonly longestBackoffMs?: number;
  /** The longest time without an attempt for a pod that no node takes, even if no change occurs. */
  readonly longestWaitMs?: number;
  /** Called for each pod that enters a queue. The event has the name that is usual in metrics of schedulers. */
  readonly onIncoming?: (queue: keyof Pending, event: string) => void;
}

/** The names of changes in metrics. */
const EVENTS: Readonly<Record<Change, string>> = {
  'a node': 'NodeChange',
  'a volume': 'VolumeChange',
  'a pod left': 'AssignedPodDelete',
  'a pod came': 'AssignedPodAdd',
};

/**
 * Pods that wait to be scheduled. The most important pod is next, and among equals the one that has waited longest. A
 * pod that no node takes waits until a change makes another attempt useful. After each failure it also waits for a
 * minimum time.
 */
export class SchedulingQueue {
  readonly #options: SchedulingQueueOptions;
  readonly #active = new Heap<Waiting>((a, b) => b.priority - a.priority || a.order - b.order);
  readonly #backoff = new Map<string, Waiting>();
  readonly #unschedulable = new Map<string, Waiting>();
  /** Pods that were taken out and that have neither succeeded nor failed yet. */
  readonly #inWork = new Map<string, Waiting>();
  /** The changes since each of these pods was taken out. */
  readonly #changedFor = new Map<string, Set<Change>>();
  #order = 0;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
  }

  get pending(): Pending {
    return { active: this.#active.size, backoff: this.#backoff.size, unschedulable: this.#unschedulable.size };
  }

  /** Adds a pod that is new, or whose change makes another attempt useful. */
  add(key: string, priority: number): void {
    const known = this.#backoff.get(key) ?? this.#unschedulable.get(key);
    const inWork = this.#inWork.get(key);
    if (inWork !== undefined) {
      inWork.isDue = true;
      return;
    }
    if (known !== undefined) {
      this.#unschedulable.delete(key);
      this.#backoff.delete(key);
      this.#retry({ ...known, priority }, 'PodUpdate');
      this.#plan();
      return;
    }
    if (this.#active.has(key)) return;
    const since = this.#options.now();
    this.#push({ key, priority, order: this.#order++, attempts: 0, since, triedAt: 0, ...NOTHING_YET }, 'PodAdd');
  }

  /** Forgets a pod. */
  remove(key: string): void {
    this.#active.remove(key);
    this.#backoff.delete(key);
    this.#unschedulable.delete(key);
    this.#inWork.delete(key);
    this.#changedFor.delete(key);
  }

  /** Removes the next pod and returns it; undefined if no pod waits. Call `done` or `failed` for it later. */
  take(): string | undefined {
    const next = this.#active.shift();
    if (next === undefined) return undefined;
    next.attempts++;
    next.isDue = false;
    this.#inWork.set(next.key, next);
    return next.key;
  }

  /**
   * The number of attempts for a pod that was taken out, including the present one, and the time since which it waits.
   */
  tries(key: string): { readonly attempts: number; readonly since: number } | undefined {
    return this.#inWork.get(key);
  }

  /** A pod that was taken out needs nothing more. */
  done(key: string): void {
    this.#inWork.delete(key);
    this.#changedFor.delete(key);
  }

  /**
   * Puts back a pod that was taken out and was not scheduled.
   *
   * @param waitsFor the changes after which another attempt makes sense. 'soon' means that the pod is tried again after
   * its waiting time in any case.
   */
  failed(key: string, waitsFor: ReadonlySet<Change> | 'soon'): void {
    const pod = this.#inWork.get(key);
    if (pod === undefined) return;
    this.#inWork.delete(key);
    const changes = this.#changedFor.get(key) ?? new Set<Change>();
    this.#changedFor.delete(key);
    const { isDue } = pod;
    pod.isDue = false;
    pod.triedAt = this.#options.now();
    if (waitsFor !== 'soon') pod.waitsFor = waitsFor;
    if (waitsFor === 'soon' || isDue || [...changes].some((change) => waitsFor.has(change)))
      this.#retry(pod, 'ScheduleAttemptFailure');
    else {
      this.#unschedulable.set(key, pod);
      this.#options.onIncoming?.('unschedulable', 'ScheduleAttemptFailure');
    }
    this.#plan();
  }

  /** Records a change after which waiting pods may find a node. */
  changed(what: Change): void {
    for (const key of this.#inWork.keys()) {
      const changes = this.#changedFor.get(key) ?? new Set();
      this.#changedFor.set(key, changes.add(what));
    }
    if (this.#unschedulable.size === 0) return;
    for (const [key, pod] of this.#unschedulable) {
      if (!pod.waitsFor.has(what)) continue;
      this.#unschedulable.delete(key);
      this.#retry(pod, EVENTS[what]);
    }
    this.#plan();
  }

  /** Resolves when a pod can be taken out, or when the signal aborts. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#active.size > 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        signal.removeEventListener('abort', go);
        this.#wake = undefined;
        resolve();
      };
      this.#wake = go;
      signal.addEventListener('abort', go, { once: true });
    });
  }

  /** Stops the timer of the queue. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #push(pod: Waiting, event: string): void {
    this.#active.push(pod);
    this.#options.onIncoming?.('active', event);
    this.#wake?.();
  }

  #retry(pod: Waiting, event: string): void {
    if (this.#until(pod) <= this.#options.now()) this.#push(pod, event);
    else {
      this.#backoff.set(pod.key, pod);
      this.#options.onIncoming?.('backoff', event);
    }
  }

  #until({ attempts, triedAt }: Waiting): number {
    const { firstBackoffMs = 1000, longestBackoffMs = 10_000 } = this.#options;
    return attempts === 0 ? 0 : triedAt + Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempts - 1));
  }

  /** Sets the timer for the end of the next waiting time. */
  #plan(): void {
    const { now, longestWaitMs = 300_000 } = this.#options;
    let next = Number.POSITIVE_INFINITY;
    for (const pod of this.#backoff.values()) next = Math.min(next, this.#until(pod));
    for (const { triedAt } of this.#unschedulable.values()) next = Math.min(next, triedAt + longestWaitMs);
    clearTimeout(this.#timer);
    if (!Number.isFinite(next)) return;
    this.#timer = setTimeout(() => this.#look(), timerMs(Math.max(1, next - now())));
    this.#timer.unref();
  }

  #look(): void {
    const { now, longestWaitMs = 300_000 } = this.#options;
    for (const [key, pod] of this.#unschedulable)
      if (pod.triedAt + longestWaitMs <= now()) {
        this.#unschedulable.delete(key);
        this.#backoff.set(key, pod);
        this.#options.onIncoming?.('backoff', 'UnschedulableTimeout');
      }
    for (const [key, pod] of this.#backoff)
      if (this.#until(pod) <= now()) {
        this.#backoff.delete(key);
        this.#push(pod, 'BackoffComplete');
      }
    this.#plan();
  }
}
