import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * Collects all garbage and gives its memory back to the system. It holds everything else up for some 5 ms for each
 * 1,000 objects, so it is for the moment before the first request: with 20,000 objects filling the cache leaves 150 MB
 * behind that the engine would keep. Does nothing on engines that cannot be asked.
 */
export function giveBackMemory(): void {
  setFlagsFromString('--expose-gc');
  try {
    const collect = runInNewContext('globalThis.gc') as Collect | undefined;
    collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
