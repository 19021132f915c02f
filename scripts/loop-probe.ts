import { writeFileSync } from 'node:fs';

// A module that is loaded before a program (`node --import`). For each second it records the longest time during which
// the event loop did not turn. The unit is milliseconds of the main thread's processor time, so that other processes
// have no effect. `LOOP_PROBE` names the output file, oldest entry first: `[{"ms":12.3,"at":1760000000000}]`.

const file = process.env['LOOP_PROBE'];
/** The interval of checks of the loop, in milliseconds: shorter stalls merge. */
const EVERY_MS = 2;
/** Shorter stretches are not noted, in milliseconds. */
const SHORT_MS = 5;
/** The number of seconds in the file: it keeps those with a long stretch. */
const KEPT = 600;

/** Newer than what the types of the oldest Node here know. */
const { threadCpuUsage } = process as unknown as { threadCpuUsage?: () => { user: number; system: number } };

if (file !== undefined && threadCpuUsage !== undefined) {
  const used = (): number => {
    const { user, system } = threadCpuUsage.call(process);
    return (user + system) / 1000;
  };
  const longest: { readonly ms: number; readonly at: number }[] = [];
  let changed = false;
  let before = used();
  const note = (ms: number, at: number): void => {
    const last = longest.at(-1);
    const isSameSecond = last !== undefined && Math.floor(last.at / 1000) === Math.floor(at / 1000);
    if (isSameSecond && last.ms >= ms) return;
    if (isSameSecond) longest.pop();
    longest.push({ ms, at });
    if (longest.length > KEPT) longest.shift();
    changed = true;
  };
  const look = (): void => {
    const now = used();
    const ms = now - before;
    if (ms >= SHORT_MS) note(ms, Date.now());
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
