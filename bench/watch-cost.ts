import type { Pki } from '#scripts/pki.ts';
import { Client } from './client.ts';
import type { Request } from './measure.ts';
import { cpuMs, residentMb } from './process-usage.ts';

/** The cost of watchers. */
export interface WatchCost {
  /** Processor time of the server to deliver one event to one watcher, in milliseconds. */
  readonly cpuMs: number;
  readonly delivered: number;
  /** The server's growth for each open watch, in kilobytes. */
  readonly kbPerWatcher: number;
}

export interface WatchLoad {
  readonly pid: number;
  readonly port: number;
  readonly path: string;
  readonly watchers: number;
  readonly events: number;
  /** Makes one event. */
  readonly write: Request;
}

/** The number of rounds in which events are measured. Each round waits until all events are delivered. */
const ROUNDS = 5;

/** How many watches are opened at the same time. */
const OPENING = 50;

/** Opens watches, makes events, and counts; the cost of the writes alone is subtracted. */
export async function watchCost(pki: Pki, { pid, port, path, watchers, events, write }: WatchLoad): Promise<WatchCost> {
  let seen = 0;
  /**
   * Waits until the expected number of events has arrived or no event arrives for 3 s, and then 0.3 s more for
   * unexpected events.
   */
  const settle = async (expected = 0): Promise<void> => {
    for (let [before, silent] = [-1, 0]; before !== seen || (seen < expected && silent < 3000); silent += 300) {
      if (before !== seen) silent = 0;
      before = seen;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  };
  const empty = residentMb(pid);
  const sockets = new Client(pki, port, watchers);
  const close: (() => void)[] = [];
  while (close.length < watchers) {
    const opening = Math.min(OPENING, watchers - close.length);
    close.push(...(await Promise.all(Array.from({ length: opening }, () => sockets.watch(path, () => seen++)))));
  }
  await settle();
  const kbPerWatcher = ((residentMb(pid) - empty) * 1024) / watchers;
  seen = 0;
  const perRound = Math.ceil(events / ROUNDS);
  let written = 0;
  /** The cost of a round of events, the cheapest one. */
  const round = async (): Promise<number> => {
    let best = Number.POSITIVE_INFINITY;
    for (let n = 0; n < ROUNDS; n++) {
      const [before, expected] = [cpuMs(pid), seen + close.length * perRound];
      for (let event = 0; event < perRound; event++) await write(written++);
      await settle(expected);
      best = Math.min(best, cpuMs(pid) - before);
    }
    return best;
  };
  const withWatchers = await round();
  const delivered = seen;
  for (const end of close.splice(0)) end();
  sockets.close();
  await settle();
  const writesOnly = await round();
  return { cpuMs: (withWatchers - writesOnly) / (watchers * perRound), delivered, kbPerWatcher };
}
