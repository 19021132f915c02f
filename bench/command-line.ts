import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { findYardstick } from '#e2e/comparison/compare.ts';

// What command lines cost the client: `node bench/command-line.ts get pods -n big` runs the words with the built orchctl and,
// where it is installed, with the field's own client, in turn, and prints the processor time and memory of each. Connection
// files are found as both find them (KUBECONFIG).

const RUNS = 7;
const words = process.argv.slice(2);
const own = path.resolve(import.meta.dirname, '../dist/cli/main.js');
const yardstick = findYardstick();
const programs = [
  { name: 'orchctl', file: process.execPath, args: [own, ...words] },
  ...(yardstick === undefined ? [] : [{ name: path.basename(yardstick), file: yardstick, args: words }]),
];

/** Seconds of the processor, seconds passed, and the largest resident memory in MB of one run. */
function measure(file: string, args: readonly string[]): { cpu: number; wall: number; memory: number } {
  const { status, stderr } = spawnSync('/usr/bin/time', ['-f', '%U %S %e %M', file, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}: ${stderr}`);
  const [user, system, wall, memory] = stderr.trim().split('\n').at(-1)!.split(' ').map(Number);
  return { cpu: user! + system!, wall: wall!, memory: memory! / 1024 };
}

const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

// The first run of each fills what it remembers of the server.
for (const { file, args } of programs) measure(file, args);
const runs = Array.from({ length: RUNS }, () => programs.map(({ file, args }) => measure(file, args)));
for (const [at, { name }] of programs.entries()) {
  const of = (what: 'cpu' | 'wall' | 'memory') => median(runs.map((run) => run[at]![what]));
  console.log(
    `${name.padEnd(8)} ${of('cpu').toFixed(2)} s of the processor, ${of('wall').toFixed(2)} s, ${of('memory').toFixed(0)} MB`,
  );
}
