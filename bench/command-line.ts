import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findYardstick } from '#e2e/comparison/compare.ts';

// Measures what commands cost the client machine. `node bench/command-line.ts get pods -n big` runs the command in turn
// with the built orchctl, with the build that BEFORE names (the main.js of another build), and with the field's own
// client if it is installed. For each it prints processor time (the median, and the least in brackets), elapsed time
// and memory. All clients look for connection files in their usual places. With COLD=1 each call starts with an empty
// cache folder.

const RUNS = 15;
const words = process.argv.slice(2);
const own = path.resolve(import.meta.dirname, '../dist/cli/main.js');
const yardstick = findYardstick();
const before = process.env['BEFORE'];
const cold = process.env['COLD'] === '1' ? mkdtempSync(path.join(tmpdir(), 'command-line-')) : undefined;
const cache = cold === undefined ? [] : [`--cache-dir=${cold}`];
// After the command's name, because completions read words before it as their own.
words.splice(1, 0, ...cache);
const programs = [
  ...(before === undefined ? [] : [{ name: 'before', file: process.execPath, args: [before, ...words] }]),
  { name: 'orchctl', file: process.execPath, args: [own, ...words] },
  ...(yardstick === undefined ? [] : [{ name: path.basename(yardstick), file: yardstick, args: words }]),
];

/** The processor time in seconds, the elapsed time in seconds, and the largest resident memory in MB of one run. */
function measure(file: string, args: readonly string[]): { cpu: number; wall: number; memory: number } {
  if (cold !== undefined) rmSync(cold, { recursive: true, force: true });
  const { status, stderr } = spawnSync('/usr/bin/time', ['-f', '%U %S %e %M', file, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}: ${stderr}`);
  const [user, system, wall, memory] = stderr.trim().split('\n').at(-1)!.split(' ').map(Number);
  return { cpu: user! + system!, wall: wall!, memory: memory! / 1024 };
}

const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
const least = (numbers: readonly number[]) => Math.min(...numbers);

// The first two runs of each fill its caches of discovery and of compiled code.
for (const { file, args } of [...programs, ...programs]) measure(file, args);
const runs = Array.from({ length: RUNS }, () => programs.map(({ file, args }) => measure(file, args)));
for (const [at, { name }] of programs.entries()) {
  const all = (what: 'cpu' | 'wall' | 'memory') => runs.map((run) => run[at]![what]);
  const cpu = `${median(all('cpu')).toFixed(2)} s (${least(all('cpu')).toFixed(2)}) of the processor`;
  console.log(`${name.padEnd(8)} ${cpu}, ${median(all('wall')).toFixed(2)} s, ${median(all('memory')).toFixed(0)} MB`);
}
