import { globSync } from 'node:fs';
import path from 'node:path';
import { packages } from './rooms.ts';
import { THOROUGH_TESTS } from './tries.ts';

/**
 * Tests that run beside others: they need no container and no fixed port, and do not measure how long anything takes.
 * Each list keeps one processor busy.
 */
const BESIDE: readonly (readonly string[])[] = [
  [
    'e2e/comparison/**',
    'e2e/client-package/**',
    'e2e/bundles/**',
    'e2e/envtest/**',
    'e2e/test-cluster/**',
    'e2e/two-releases.e2e.ts',
    ...THOROUGH_TESTS,
  ],
  // These start replica after replica, send very much to one, or build copies of the project. They need 5 to 50 s of
  // processor time each, which `make test` does not have.
  [
    '{client,controllers,server,storage-*}/**',
    'e2e/chaos/**',
    'e2e/development/**',
    'e2e/drills/**',
    'e2e/how-to/**',
    'e2e/observability/**',
    'e2e/reads/**',
    'e2e/requests/**',
    'e2e/start-and-end/**',
    'e2e/store/**',
    'e2e/upstream/**',
    'e2e/workloads/**',
  ],
];

/** Tests that measure how long a client waits, or that load all processors: no other test runs meanwhile. */
const ALONE: readonly string[] = [
  'e2e/overload/**',
  'e2e/hostile/**',
  'e2e/high-availability.e2e.ts',
  'e2e/rolling-restarts.e2e.ts',
  'e2e/policies-at-replicas.e2e.ts',
];

/** Tests of programs that a person looks at. They fail if three tests run at a time, and pass if two do. */
const IN_PAIRS: readonly (readonly string[])[] = [
  ['e2e/console/**', 'e2e/terminal/**'],
  ['e2e/dev/**', 'e2e/embedded/**'],
];

const within = (file: string, patterns: readonly string[]) => patterns.some((one) => path.matchesGlob(file, one));

/** All files of `make e2e`, from the root of the project. */
function e2eFiles(): readonly string[] {
  const folders = ['e2e', ...packages.map(({ folder }) => folder)].join(',');
  const files = globSync(`{${folders}}/**/*.e2e.ts`, { cwd: path.resolve(import.meta.dirname, '..') });
  return [...files, ...THOROUGH_TESTS].sort();
}

/**
 * The files of `make e2e`, from the root of the project. Stages run one after the other, the lists of a stage beside
 * each other, as `runTests` takes them.
 */
export function e2eStages(): readonly (readonly (readonly string[])[])[] {
  const files = new Set(e2eFiles());
  /** Takes the files of these patterns. Each file is in one list. */
  const take = (patterns: readonly string[]) => {
    const taken = [...files].filter((file) => within(file, patterns));
    for (const file of taken) files.delete(file);
    return taken;
  };
  const beside = BESIDE.map(take);
  const alone = take(ALONE);
  const inPairs = IN_PAIRS.map(take);
  return [[[...files], ...beside], [alone], inPairs];
}
