import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type OwnPackage, ownPackage, packInto, writeDeclarations, writeMetadata } from './package-parts.ts';

/** The name by which the package is imported. */
export const CLIENT_PACKAGE = '@orch/client';

/** The exports of the package, and the module of the project behind each. */
const DOORS: Readonly<Record<string, string>> = {
  '.': 'client/index.ts',
  './kinds': 'client/generated/kinds.ts',
  './streams': 'client/streams/index.ts',
  './testing': 'client/testing/index.ts',
};

/** Programs of the package. */
const PROGRAMS: Readonly<Record<string, string>> = { 'crd-to-types': 'client/crd-to-types/main.ts' };

/** External packages that the client uses: a project that installs the client gets newer versions automatically. */
const DEPENDENCIES = ['undici', 'yaml'];

/**
 * Replaces imports of undici's inner files by imports of its main module. The server imports single files of it to save
 * memory; but where undici is installed beside the client, its next release may have moved them.
 */
const publicUndici: Plugin = {
  name: 'public undici',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici\// }, ({ path: name }) => ({ path: name, namespace: 'undici' }));
    onLoad({ filter: /.*/, namespace: 'undici' }, ({ path: name }) => {
      const exported = { 'undici/lib/core/connect.js': 'buildConnector', 'undici/lib/dispatcher/pool.js': 'Pool' }[
        name
      ];
      if (exported === undefined) return { errors: [{ text: `no public name of undici is known for ${name}` }] };
      return { contents: `export { ${exported} as default } from 'undici';` };
    });
  },
};

/**
 * Creates the package of the client library below `folder`, in its published form: code, declarations, README and
 * licence. Rejects if the code cannot be bundled.
 *
 * @throws Error where declarations cannot be made
 */
export async function stageClient(root: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const entries = { ...byName(DOORS), ...PROGRAMS };
  await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: path.join(folder, 'lib'),
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: DEPENDENCIES,
    plugins: [publicUndici],
    logLevel: 'warning',
  });
  for (const name of Object.keys(PROGRAMS)) chmodSync(path.join(folder, 'lib', `${name}.js`), 0o755);
  writeDeclarations(root, 'client/tsconfig.package.json', Object.values(DOORS), path.join(folder, 'types'));
  mkdirSync(path.join(folder, 'docs'));
  copyFileSync(path.join(root, 'docs/writing-a-controller.md'), path.join(folder, 'docs/writing-a-controller.md'));
  const [readme = ''] = readFileSync(path.join(root, 'client/README.md'), 'utf8').split(
    /^## For those who change it$/m,
  );
  writeFileSync(path.join(folder, 'README.md'), readme.trimEnd().replaceAll('](../docs/', '](docs/').concat('\n'));
  writeMetadata(root, folder, describe(ownPackage(root)));
}

function describe({ version, license, dependencies }: OwnPackage): object {
  const doors = Object.entries(DOORS).map(([door, source]) => [
    door,
    { types: `./types/${source.replace(/\.ts$/, '.d.ts')}`, default: `./lib/${nameOf(door)}.js` },
  ]);
  return {
    name: CLIENT_PACKAGE,
    version,
    description: 'A client of cluster control planes: typed objects, watches, informers, work queues, leader election',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20.18.1' },
    exports: { ...Object.fromEntries(doors), './package.json': './package.json' },
    bin: Object.fromEntries(Object.keys(PROGRAMS).map((name) => [name, `lib/${name}.js`])),
    files: ['lib', 'types', 'docs'],
    dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, `^${dependencies[name]}`])),
    peerDependencies: { '@types/node': '>=20' },
    peerDependenciesMeta: { '@types/node': { optional: true } },
  };
}

function nameOf(door: string): string {
  return door === '.' ? 'index' : door.slice('./'.length);
}

function byName(doors: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(doors).map(([door, source]) => [nameOf(door), source]));
}

if (import.meta.main) process.exitCode = await packInto('dist', 'client', stageClient);
