import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeViolation, shortcomings, summary } from './report.ts';
import { run } from './run.ts';

// This is `make chaos`. The environment variables are SEED, DURATION (seconds), and KEEP=1 to keep the data of etcd
// after a failure. Its last line is `N passed, N failed`.

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const seconds = Number(process.env['DURATION'] ?? 1200);
if (process.argv.length > 2) throw new Error('takes no arguments: SEED and DURATION are set in the environment');
if (!Number.isSafeInteger(seed) || !(seconds > 0)) throw new Error('SEED and DURATION are numbers');

const started = performance.now();
const directory = path.resolve('.run', `chaos-${seed}`);
const keepIn = process.env['KEEP'] === '1' ? path.join(directory, 'etcd') : undefined;
const result = await run({ seed, seconds, keepIn, say: (line) => console.log(`${clock()} ${line}`) });
console.log(summary(result));
const missing = shortcomings(result, seconds);
for (const line of missing) console.log(`too little of it was tried: ${line}`);
for (const violation of result.violations.slice(0, 10)) console.log(`\n${describeViolation(violation, result.faults)}`);
if (result.violations.length > 0) {
  mkdirSync(directory, { recursive: true });
  const { history, violations, faults, logs } = result;
  writeFileSync(
    path.join(directory, 'history.json'),
    JSON.stringify({ history, violations, faults, logs }, undefined, 1),
  );
  console.log(
    `\n${violations.length} violations; everything is in ${directory}, the replicas wrote to\n${logs.join('\n')}`,
  );
}
const passed = result.violations.length === 0 && missing.length === 0;
console.log(`${clock()} seed ${seed}: ${passed ? '1 passed, 0 failed' : '0 passed, 1 failed'}`);
process.exit(passed ? 0 : 1);

function clock(): string {
  return `[${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s]`;
}
