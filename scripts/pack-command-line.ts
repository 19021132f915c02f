import { cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ownPackage, packInto, writeMetadata } from './package-parts.ts';

/**
 * Creates the npm package of the built command line in `folder`, in its published form: the build, README and licence.
 * It has no dependencies, because the build contains all packages.
 */
export function stageCommandLine(root: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, 'dist'), { recursive: true });
  cpSync(path.join(root, 'dist/cli'), path.join(folder, 'dist/cli'), {
    recursive: true,
    filter: (source) => !source.endsWith('.map'),
  });
  cpSync(path.join(root, 'docs/orchctl.md'), path.join(folder, 'README.md'));
  const { version, license } = ownPackage(root);
  const description = {
    name: 'orchctl',
    version,
    description: 'The command line of cluster control planes',
    license,
    type: 'module',
    engines: { node: '>=20' },
    bin: { orchctl: 'dist/cli/main.js' },
    files: ['dist'],
  };
  writeMetadata(root, folder, description);
}

if (import.meta.main) process.exitCode = await packInto('dist', 'orchctl', stageCommandLine);
