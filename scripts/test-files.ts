import { globSync } from 'node:fs';
import path from 'node:path';
import { packages } from './rooms.ts';

// The longest tests begin first, so that no test still runs alone at the end.
const LONG: readonly string[] = [
  'e2e/store/partition.test.ts',
  'storage-etcd/lost-answer.test.ts',
  'controllers/job/job-controller.test.ts',
  'server/http/write-watch.test.ts',
  'cli/flags-are-read.test.ts',
  'e2e/store/emptied-store.test.ts',
  'storage-tool/commands.test.ts',
  'e2e/observability/audit-backends.test.ts',
  'client/streams/streams.test.ts',
  'server/custom-resources/cel/budget.test.ts',
  'server/custom-resources/kinds/object-errors.test.ts',
  'server/http/discard-body.test.ts',
  'server/verbs/no-change.test.ts',
  'server/http/http2/sessions.test.ts',
  'nodes/simulation.test.ts',
  'e2e/custom-resources/custom-numbers.test.ts',
];

const FOLDERS = [...packages.map(({ folder }) => folder), 'bench', 'scripts', 'e2e'];

/** The files of `make test`, from the root of the project, in the order in which they begin. */
export function testFiles(): readonly string[] {
  const root = path.resolve(import.meta.dirname, '..');
  const all = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: root }).sort());
  return [...LONG, ...all.filter((file) => !LONG.includes(file))];
}
