import { writeFileSync } from 'node:fs';

// Loaded into a process before its program (`node --import`): notes the longest stretches for which its event loop did
// not turn, in milliseconds of processor time of the main thread, so that what other processes do counts for nothing.
// `LOOP_PROBE` names the file that has them, longest first: `[{"ms":12.3,"at":1760000000000}]`.

const file = process.env['LOOP_PROBE'];
/** How often the loop is looked at, in milliseconds: shorter stretches run into each other. */
const EVERY_MS = 2;
const KEPT = 20;

/** Newer than what the types of the oldest Node here know. */
const { threadCpuUsage } = process as unknown as { threadCpuUsage?: () => { user: number; system: number } };

if (file !== undefined && threadCpuUsage !== undefined) {
  const used = (): number => {
    const { user, system } = threadCpuUsage.call(process);
    return (user + system) / 1000;
  };
  let longest: { readonly ms: number; readonly at: number }[] = [];
  let changed = false;
  let before = used();
  const look = (): void => {
    const now = used();
    const ms = now - before;
    if (longest.length < KEPT || ms > longest.at(-1)!.ms) {
      longest = [...longest, { ms, at: Date.now() }].sort((a, b) => b.ms - a.ms).slice(0, KEPT);
      changed = true;
    }
    before = now;
    setTimeout(look, EVERY_MS).unref();
  };
  look();
  setInterval(() => {
    if (!changed) return;
    changed = false;
    writeFileSync(file, JSON.stringify(longest));
    before = used();
  }, 250).unref();
}
