import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The values of the names that `program/flags/build.ts` reads: version and commit of `root`. The bundler inserts them.
 */
export function builtAs(root: string): Readonly<Record<string, string>> {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  return { BUILT_VERSION: JSON.stringify(version), BUILT_COMMIT: JSON.stringify(commitOf(root)) };
}

/** The commit that is checked out in a folder, in short; `unknown` outside of a repository. */
function commitOf(folder: string): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}
