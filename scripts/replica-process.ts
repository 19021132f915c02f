import path from 'node:path';
import { type Background, startBackground } from './processes.ts';

/**
 * Flags of Node itself. Half of the young generation that Node would take: a tenth less processor time than with more
 * or less (it stays in the processor's cache, and what dies young is not promoted), and no more memory than with less.
 */
const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=8'];

/**
 * What tells the system's allocator (glibc's) to give back what is free: one heap for all threads instead of two for
 * each processor, and large pieces of their own whatever was freed before. A replica then holds an eighth to a quarter
 * less, for the same processor time or a tenth less.
 */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

export interface ReplicaProcessOptions {
  /** More flags of Node. */
  readonly nodeFlags?: readonly string[];
  /** A file for the longest stretches of its event loop: see loop-probe.ts. */
  readonly loopProbe?: string;
}

/** Starts a built server, `main`, with its flags, as the image and the systemd unit do. */
export function startReplicaProcess(
  name: string,
  main: string,
  flags: readonly string[],
  log: string,
  { nodeFlags = [], loopProbe }: ReplicaProcessOptions = {},
): Background {
  const probing = loopProbe === undefined ? [] : ['--import', path.join(import.meta.dirname, 'loop-probe.ts')];
  return startBackground(name, process.execPath, [...NODE_FLAGS, ...nodeFlags, ...probing, main, ...flags], log, {
    ...ENVIRONMENT,
    ...(loopProbe === undefined ? {} : { LOOP_PROBE: loopProbe }),
  });
}
