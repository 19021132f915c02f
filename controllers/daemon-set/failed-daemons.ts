import { BoundedCache } from '#base/collections/bounded-cache.ts';
import type { DaemonSet } from '#schema/generated/apps.v1.ts';

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 900_000;
/** The largest number of nodes to remember. The node with the oldest failure is removed first. */
const MOST_REMEMBERED = 4096;

interface Wait {
  readonly ms: number;
  readonly until: number;
}

/**
 * The times at which failed pods may be replaced. Each waiting time is longer than the previous one, so that a broken
 * daemon does not cause constant work.
 */
export class FailedDaemons {
  readonly #now: () => number;
  readonly #waits = new BoundedCache<string, Wait>(MOST_REMEMBERED);
  readonly #next = new BoundedCache<string, number>(MOST_REMEMBERED);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether a pod that failed may be replaced on a node now. */
  mayReplace({ metadata: { uid } }: DaemonSet, node: string): boolean {
    const wait = this.#waits.get(`${uid}/${node}`);
    if (wait === undefined || wait.until <= this.#now()) return true;
    this.#next.set(uid!, Math.min(this.#next.get(uid!) ?? Number.POSITIVE_INFINITY, wait.until));
    return false;
  }

  /** Records that a failed pod is replaced on a node. */
  replaced({ metadata: { uid } }: DaemonSet, node: string): void {
    const key = `${uid}/${node}`;
    const before = this.#waits.get(key);
    const now = this.#now();
    // A daemon that ran for a long time has recovered.
    const ms =
      before === undefined || now - before.until > 2 * LONGEST_WAIT_MS
        ? FIRST_WAIT_MS
        : Math.min(before.ms * 2, LONGEST_WAIT_MS);
    this.#waits.set(key, { ms, until: now + ms });
  }

  /** The number of milliseconds until the next failed pod may be replaced; undefined if none waits. */
  nextInMs({ metadata: { uid } }: DaemonSet): number | undefined {
    const next = this.#next.get(uid!);
    this.#next.delete(uid!);
    return next === undefined ? undefined : Math.max(0, next - this.#now());
  }
}
