import { globSync } from 'node:fs';
import path from 'node:path';
import { packages } from './rooms.ts';

// The longest tests begin first, so that no test still runs alone at the end.
const LONG: readonly string[] = [
  'e2e/requests/hostile-input.test.ts',
  'server/workers/workers.test.ts',
  'e2e/observability/traces.test.ts',
  'storage-tool/commands.test.ts',
  'storage-tool/restore-check.test.ts',
  'storage-tool/verify.test.ts',
  'e2e/store/encryption.test.ts',
  'controllers/manager/manager.test.ts',
  'client/streams/streams.test.ts',
  'e2e/dev/orch-dev.test.ts',
  'e2e/client-package/package.test.ts',
  'e2e/store/partition.test.ts',
  'e2e/start-and-end/start-errors.test.ts',
  'e2e/reads/reflector.test.ts',
  'e2e/client-package/examples.test.ts',
  'server/http/write-watch.test.ts',
  'cli/output/bounded.test.ts',
  'e2e/reads/stuck-readers.test.ts',
  'storage-etcd/lost-answer.test.ts',
  'e2e/store/restored-store.test.ts',
  'cli/beyond.test.ts',
  'cli/kustomize/build.test.ts',
];

const FOLDERS = [...packages.map(({ folder }) => folder), 'bench', 'scripts', 'e2e'];

/** The files of `make test`, from the root of the project, in the order in which they begin. */
export function testFiles(): readonly string[] {
  const root = path.resolve(import.meta.dirname, '..');
  const all = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: root }).sort());
  return [...LONG, ...all.filter((file) => !LONG.includes(file))];
}
