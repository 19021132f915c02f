import { setImmediate as turn } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { WatchBench } from './watch-bench.ts';

// A thread with a small heap, because the time to count objects grows with the heap. Posts a `WatchObjects`.

/** The objects that an open watch holds, and the number of watches open at that time. */
export interface WatchObjects {
  /** The objects of each watch. */
  readonly queries: number;
  readonly promises: number;
  readonly open: number;
}

const WATCHES = 100;

// The garbage collector runs first.
const counts = () => [URLSearchParams, Promise].map((type) => queryObjects(type, { format: 'count' }));
const before = counts();
const benches = Array.from({ length: WATCHES }, () => new WatchBench());
for (const bench of benches) bench.answer();
await turn();
const [queries, promises] = counts().map((count, i) => (count - before[i]!) / WATCHES) as [number, number];
const open = benches.filter((bench) => bench.open === 1).length;
for (const bench of benches) bench.response.leave();
parentPort!.postMessage({ queries, promises, open } satisfies WatchObjects);
