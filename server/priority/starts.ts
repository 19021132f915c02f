import type { Queue } from './queue.ts';
import { EXPECTED_MS } from './work.ts';

/** The smallest and the largest value among queues. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** When requests of fair queues begin, in virtual time: seat-milliseconds. */
export interface Starts {
  /** The virtual time of the last dispatch, and the virtual start of that request. */
  readonly dispatchR: number;
  readonly latestS: number;
  /** The earliest start of a waiting first request; undefined if none waits. */
  readonly next: Bounds | undefined;
  /** The same start minus the running work of those queues. */
  readonly nextDiscounted: Bounds | undefined;
}

function boundsOf(values: readonly number[]): Bounds | undefined {
  return values.length === 0 ? undefined : { min: Math.min(...values), max: Math.max(...values) };
}

/** When the first waiting requests of the queues start, at `now`. */
export function startsOfNext<About>(
  queues: readonly Queue<About>[],
  now: number,
): Pick<Starts, 'next' | 'nextDiscounted'> {
  const starts: number[] = [];
  const discounted: number[] = [];
  for (const queue of queues) {
    const [first] = queue.waiting;
    if (first === undefined) continue;
    const start = queue.startOf(first, now);
    starts.push(start);
    discounted.push(start - queue.seatsInUse * EXPECTED_MS);
  }
  return { next: boundsOf(starts), nextDiscounted: boundsOf(discounted) };
}
