import { globSync } from 'node:fs';
import path from 'node:path';
import { packages } from './rooms.ts';
import { THOROUGH_TESTS } from './tries.ts';

/**
 * Tests that run beside others: each of them keeps one processor busy, needs no container and no fixed port, and does
 * not measure how long anything takes.
 */
const BESIDE: readonly string[] = [
  'e2e/comparison/**',
  'e2e/client-package/**',
  'e2e/bundles/**',
  'e2e/envtest/**',
  'e2e/test-cluster/**',
  'e2e/two-releases.e2e.ts',
];

/**
 * Tests of several rooms that start replica after replica, or that send very much to one. They need 5 to 30 s of
 * processor time each, which `make test` does not have.
 */
const MANY_REPLICAS: readonly string[] = [
  'e2e/observability/**',
  'e2e/reads/**',
  'e2e/requests/**',
  'e2e/start-and-end/**',
  'e2e/store/**',
];

/** Tests that measure how long a client waits, or that load all processors: no other test runs meanwhile. */
const ALONE: readonly string[] = [
  'e2e/overload/**',
  'e2e/hostile/**',
  'e2e/console/**',
  'e2e/dev/**',
  'e2e/terminal/**',
  'e2e/embedded/**',
  'e2e/high-availability.e2e.ts',
  'e2e/rolling-restarts.e2e.ts',
  'e2e/policies-at-replicas.e2e.ts',
];

const within = (file: string, patterns: readonly string[]) => patterns.some((one) => path.matchesGlob(file, one));

/** All files of `make e2e` but `THOROUGH_TESTS`, from the root of the project. */
function e2eFiles(): readonly string[] {
  const folders = ['e2e', ...packages.map(({ folder }) => folder)].join(',');
  return globSync(`{${folders}}/**/*.e2e.ts`, { cwd: path.resolve(import.meta.dirname, '..') }).sort();
}

/**
 * The files of `make e2e`, from the root of the project. Stages run one after the other, the lists of a stage beside
 * each other, as `runTests` takes them.
 */
export function e2eStages(): readonly (readonly (readonly string[])[])[] {
  const files = e2eFiles();
  const alone = files.filter((file) => within(file, ALONE));
  const beside = files.filter((file) => within(file, BESIDE));
  const replicas = files.filter((file) => !file.startsWith('e2e/') || within(file, MANY_REPLICAS));
  const others = files.filter((file) => ![alone, beside, replicas].some((list) => list.includes(file)));
  return [[others, [...beside, ...THOROUGH_TESTS], replicas], [alone]];
}
