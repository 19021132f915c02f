import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import { writeAscii } from './ascii-output.ts';
import { programOptions } from './bundle.ts';
import { CLIENT_PACKAGE } from './pack-client.ts';
import { ownPackage, packInto, writeDeclarations, writeMetadata } from './package-parts.ts';

const DOOR = 'test-cluster/index.ts';

/** The door of the client, as modules of this project name it. */
const CLIENT_DOOR = '#client/index.ts';

/** Makes the client an import of its own package: errors and types are then those that a program knows. */
const clientApart: Plugin = {
  name: 'client apart',
  setup({ onResolve }) {
    onResolve({ filter: /^#client\/index\.ts$/ }, () => ({ path: CLIENT_PACKAGE, external: true }));
  },
};

/**
 * Creates the package of test clusters below `folder`, in its published form: the library, its declarations, and the
 * bundled cluster program. Rejects if the code cannot be bundled.
 *
 * @throws Error where declarations cannot be made
 */
export async function stageTestCluster(root: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: { index: DOOR },
    outdir: path.join(folder, 'lib'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    plugins: [clientApart],
    logLevel: 'warning',
  });
  const cluster = path.join(folder, 'cluster');
  await build({ ...programOptions(root, { main: 'test-cluster/process/main.ts' }, cluster), sourcemap: false });
  writeAscii(cluster);
  writeDeclarations(root, 'test-cluster/tsconfig.package.json', [DOOR], path.join(folder, 'types'), (text) =>
    text.replaceAll(`'${CLIENT_DOOR}'`, `'${CLIENT_PACKAGE}'`),
  );
  const [readme = ''] = readFileSync(path.join(root, 'test-cluster/README.md'), 'utf8').split(
    /^## For those who change it$/m,
  );
  writeFileSync(path.join(folder, 'README.md'), `${readme.trimEnd()}\n`);
  const { version, license } = ownPackage(root);
  const description = {
    name: '@orch/test-cluster',
    version,
    description: 'A cluster inside a test: API server and controllers in memory, with a clock and faults to steer',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=24' },
    exports: {
      '.': { types: './types/test-cluster/index.d.ts', default: './lib/index.js' },
      './package.json': './package.json',
    },
    files: ['lib', 'types', 'cluster'],
    dependencies: { [CLIENT_PACKAGE]: `^${version}` },
    peerDependencies: { '@types/node': '>=24' },
    peerDependenciesMeta: { '@types/node': { optional: true } },
  };
  writeMetadata(root, folder, description);
}

if (import.meta.main) process.exitCode = await packInto('dist', 'test-cluster', stageTestCluster);
