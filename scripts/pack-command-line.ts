import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packInto } from './package-parts.ts';

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
  cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  cpSync(path.join(root, 'docs/orchctl.md'), path.join(folder, 'README.md'));
  const { version, license } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly license: string;
  };
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
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(description, undefined, 2)}\n`);
}

if (import.meta.main) process.exitCode = await packInto('dist', 'orchctl', stageCommandLine);
