import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often `scripts/loop-probe.ts` writes, in milliseconds, and some more. */
const WRITTEN_MS = 600;

/**
 * The longest stretch since a moment (as of `Date.now()`) for which the event loop of a process did not turn, in
 * milliseconds of processor time; 0 where none was among the longest. `probe` is the file of its loop probe.
 */
export async function longestStretch(probe: string, since: number): Promise<number> {
  await sleep(WRITTEN_MS);
  if (!existsSync(probe)) return 0;
  const noted: readonly { readonly ms: number; readonly at: number }[] = JSON.parse(readFileSync(probe, 'utf8'));
  return Math.max(0, ...noted.filter(({ at }) => at > since).map(({ ms }) => ms));
}
