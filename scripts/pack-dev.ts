import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { writeAscii } from './ascii-output.ts';
import { programOptions } from './bundle.ts';
import { ownPackage, packInto, writeMetadata } from './package-parts.ts';

/** The program, and the health check of a cluster in a container. */
const MAINS = { 'dev/main': 'dev/main.ts', 'server/healthcheck': 'server/healthcheck.ts' };

/** The page of the program without links: the pages that they lead to are not in the package. */
function readme(root: string): string {
  const page = readFileSync(path.join(root, 'docs/orch-dev.md'), 'utf8');
  return page.replaceAll(/\[([^\]]*)\]\((?![a-z]+:)[^)]*\)/g, '$1');
}

/**
 * Makes the package of a cluster in one process below `folder`, in its published form. It contains the program with all
 * packages that it needs. It also contains the built command line, which must exist, for the folders of assets that it
 * writes. Rejects if the code cannot be bundled.
 */
export async function stageDev(root: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const dist = path.join(folder, 'dist');
  mkdirSync(dist, { recursive: true });
  await build({ ...programOptions(root, MAINS, dist), sourcemap: false });
  for (const part of ['chunks', 'dev', 'server']) writeAscii(path.join(dist, part));
  cpSync(path.join(root, 'dist/cli'), path.join(dist, 'cli'), {
    recursive: true,
    filter: (source) => !source.endsWith('.map'),
  });
  writeFileSync(path.join(folder, 'README.md'), readme(root));
  const { version, license } = ownPackage(root);
  const description = {
    name: 'orch-dev',
    version,
    description: 'A cluster in one process: API server and controllers over a store in memory or in a file',
    license,
    type: 'module',
    engines: { node: '>=24' },
    bin: { 'orch-dev': 'dist/dev/main.js' },
    files: ['dist'],
  };
  writeMetadata(root, folder, description);
}

if (import.meta.main) process.exitCode = await packInto('dist', 'orch-dev', stageDev);
