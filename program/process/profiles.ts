import { Session } from 'node:inspector/promises';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSnapshot } from 'node:v8';
import { timerMs } from '#base/time/longest-timer.ts';

/** The default duration of a profile, in seconds. */
const SECONDS = 30;

/** The number of allocated bytes for one sample of the heap, as in the engine's own tools. */
const HEAP_SAMPLE_BYTES = 32_768;

/** The error that another profile is in progress. There is one profile at a time. */
export class ProfilerBusy extends Error {}

/** One kind of profile. */
export interface ProfileKind {
  readonly name: string;
  readonly about: string;
  /** The extension of a file with the profile. Tools recognize the format by it. */
  readonly extension: string;
  /** Whether `seconds` sets the duration of the profile. */
  readonly takesTime: boolean;
  take(seconds: number, signal: AbortSignal): Promise<Buffer | Readable>;
}

let busy = false;

/** How the inspector of the engine takes a profile. */
interface Sampling {
  begin(session: Session): Promise<unknown>;
  end(session: Session): Promise<{ profile: object }>;
}

const samplings: Readonly<Record<'cpu' | 'heap', Sampling>> = {
  cpu: {
    async begin(session) {
      await session.post('Profiler.enable');
      await session.post('Profiler.start');
    },
    end: (session) => session.post('Profiler.stop'),
  },
  heap: {
    begin: (session) => session.post('HeapProfiler.startSampling', { samplingInterval: HEAP_SAMPLE_BYTES }),
    end: (session) => session.post('HeapProfiler.stopSampling'),
  },
};

/**
 * Begins a profile of this process. Resolves to a function that ends the profile and returns it as JSON, for the tools
 * of Node.js and of browsers.
 *
 * @example const end = await beginProfile('cpu'); …; writeFileSync('x.cpuprofile', await end());
 * @throws ProfilerBusy
 */
export async function beginProfile(kind: 'cpu' | 'heap'): Promise<() => Promise<Buffer>> {
  if (busy) throw new ProfilerBusy();
  busy = true;
  const session = new Session();
  const close = () => {
    session.disconnect();
    busy = false;
  };
  session.connect();
  try {
    await samplings[kind].begin(session);
  } catch (error) {
    close();
    throw error;
  }
  return async () => {
    try {
      const { profile } = await samplings[kind].end(session);
      return Buffer.from(JSON.stringify(profile));
    } finally {
      close();
    }
  };
}

/** A profile of some seconds, or until the signal aborts. @throws ProfilerBusy */
async function sampled(kind: 'cpu' | 'heap', seconds: number, signal: AbortSignal): Promise<Buffer> {
  const end = await beginProfile(kind);
  await sleep(timerMs(seconds * 1000), undefined, { signal }).catch(() => {});
  return end();
}

/** The profiles that this process can make of itself, for the tools of Node.js and of browsers. */
export const profileKinds: readonly ProfileKind[] = [
  {
    name: 'profile',
    about: 'a processor profile, sampled for ?seconds= (30)',
    extension: 'cpuprofile',
    takesTime: true,
    take: (seconds, signal) => sampled('cpu', seconds, signal),
  },
  {
    name: 'heap',
    about: 'an allocation profile of memory that stays in use, sampled for ?seconds= (30)',
    extension: 'heapprofile',
    takesTime: true,
    take: (seconds, signal) => sampled('heap', seconds, signal),
  },
  {
    name: 'heapsnapshot',
    about: 'a snapshot of the heap, which contains secrets; the server stops for seconds while it is made',
    extension: 'heapsnapshot',
    takesTime: false,
    take: async () => getHeapSnapshot(),
  },
];

/** The duration of a profile, in seconds; undefined for an invalid text. */
export function profileSeconds(asked: string | null): number | undefined {
  if (asked === null || asked === '') return SECONDS;
  const seconds = Number(asked);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

/**
 * The operations that this process waits for, by type and number: the nearest equivalent to threads of other runtimes.
 */
export function waitedFor(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}
