import { laws } from './check.ts';
import { runControllers } from './run.ts';

// This is the second part of `make chaos`. The environment variables are SEED and DURATION (in seconds, of which this
// part uses a quarter). Its last line is `N passed, N failed`.

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const seconds = Number(process.env['DURATION'] ?? 1200) / 4;
if (!Number.isSafeInteger(seed) || !(seconds > 0)) throw new Error('SEED and DURATION are numbers');

const result = await runControllers({ seed, seconds, say: (line) => console.log(line) });
for (const [kind, count] of [...result.counts].sort()) console.log(`  ${count}\t${kind}`);
const faults = new Map<string, number>();
for (const fault of result.faults) faults.set(fault, (faults.get(fault) ?? 0) + 1);
for (const [fault, count] of [...faults].sort()) console.log(`  ${count}\t${fault}`);
const { transitions, falls } = result;
console.log(
  `  ${result.writes.length}\twrites of managers and schedulers, ${transitions} transitions of leases, ${falls} forced`,
);
console.log(`  ${result.changes}\tchanges of pods`);
for (const { law, message } of result.violations.slice(0, 20)) console.log(`\nVIOLATION: ${laws[law]}\n  ${message}`);
if (result.violations.length > 0)
  console.log(`\n${result.violations.length} violations; managers and schedulers wrote to\n${result.logs.join('\n')}`);
const passed = result.violations.length === 0;
console.log(`controllers, seed ${seed}: ${passed ? '1 passed, 0 failed' : '0 passed, 1 failed'}`);
process.exit(passed ? 0 : 1);
