import type { Logger } from 'pino';
import { sleep } from '#base/time/sleep.ts';
import type { Registry } from '../resources/registry.ts';
import { checkProfile, isMarked } from './profile-marker.ts';

/** The interval of checks of the store, in milliseconds. */
const LOOK_MS = 5_000;

/**
 * Creates the mandatory objects again if the store was emptied, or restored to a state that may lack them. Otherwise
 * clients could not work before the next restart. Runs until the signal aborts. An empty store lacks the marker of the
 * naming profile. So an object that an administrator deleted on purpose stays deleted.
 */
export async function keepFromEmptiness(
  registry: Registry,
  ensure: () => Promise<void>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { store, etcdPrefix, naming, cache } = registry;
  let listedAgain = false;
  const forget = cache.onRelist(() => {
    listedAgain = true;
  });
  while (!signal.aborted) {
    await sleep(LOOK_MS, signal);
    if (signal.aborted) break;
    try {
      const isEmpty = !(await isMarked(store, etcdPrefix));
      if (!isEmpty && !listedAgain) continue;
      if (isEmpty) log.warn('the store was emptied; the default objects are created again');
      listedAgain = false;
      // The code looks for missing objects in memory.
      await cache.fresh();
      await ensure();
      await checkProfile(store, etcdPrefix, naming.profile);
    } catch (error) {
      listedAgain = true;
      log.warn({ err: error }, 'the default objects could not be created; the next attempt follows');
    }
  }
  forget();
}
