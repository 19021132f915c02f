import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import { builtAs } from './built-as.ts';
import type { Builder } from './bundle.ts';
import { latePackages } from './late-packages.ts';
import { COMMAND_LINE } from './programs.ts';

/** Packages that few calls need, each in a separate file: a third of all code, which other calls do not read. */
const APART = ['node-forge', 're2js', 'protobufjs', 'protobufjs/minimal.js', 'ipaddr.js'];
/** The descriptors of `proto/` as a text, in a separate file as well: a seventh of all code. */
const PROTO_TEXT = 'proto-text';
/** Packages that many calls need, and many do not. */
const LATE = ['yaml'];

/**
 * Bundles the command line of the project in `root` into `root/dist/cli`. The script `program.cjs` holds everything,
 * and each module runs when it is first needed. `main.js` runs that script with compiled code that the engine kept from
 * an earlier call (cli/start/load-compiled.ts). Rejects if the code cannot be read, after it has printed the place.
 */
export async function bundleCommandLine(root: string, builder: Builder = build): Promise<void> {
  const common = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    legalComments: 'linked',
    logLevel: 'warning',
  } as const;
  const program = path.join(root, 'dist/cli/program.cjs');
  await builder({
    ...common,
    entryPoints: [path.join(root, 'cli/program.ts')],
    outfile: program,
    format: 'cjs',
    // Every import of a call is in the script, or is built into Node.js.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname', ...builtAs(root) },
    plugins: [
      protoTextApart,
      latePackages(root, [...APART, ...LATE], (name) => (APART.includes(name) ? fileOf(name) : undefined)),
    ],
    // The engine holds all of it in memory. Names stay, so that a stack trace says something.
    minifyWhitespace: true,
    minifySyntax: true,
    // The command line makes its own, lighter connections.
    external: ['undici'],
    banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
    footer: { js: '})' },
  });
  await builder({
    ...common,
    entryPoints: {
      ...Object.fromEntries(
        APART.filter((name) => !name.includes('/')).map((name) => [path.basename(fileOf(name), '.cjs'), name]),
      ),
      [PROTO_TEXT]: path.join(root, 'schema/descriptors/generated/proto-text.ts'),
    },
    outdir: path.join(root, 'dist/cli/packages'),
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
  });
  const text = readFileSync(program);
  if (text.some((byte) => byte > 0x7f)) throw new Error(`${program} is not ASCII, in which it is read`);
  await builder({
    ...common,
    entryPoints: [path.join(root, COMMAND_LINE)],
    outfile: path.join(root, 'dist/cli/main.js'),
    format: 'cjs',
    // The source map of its sources is removed, because the package does not contain the sources.
    external: ['./program.ts'],
    define: {
      'import.meta.dirname': '__dirname',
      BUILD: JSON.stringify(createHash('sha256').update(text).digest('hex').slice(0, 16)),
    },
  });
  // These files are for `require`: a module that Node.js imports needs another loader, 2 MB of each call.
  writeFileSync(path.join(root, 'dist/cli/package.json'), '{ "type": "commonjs" }\n');
}

const protoTextApart: Plugin = {
  name: 'text of proto/ apart',
  setup({ onResolve }) {
    onResolve({ filter: /\/proto-text\.ts$/ }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: fileOf(PROTO_TEXT), external: true },
    );
  },
};

/** Where the code of a package is, from the script. */
function fileOf(name: string): string {
  // A part of a package lies with all of it.
  return `./packages/${name.split('/')[0]!.replaceAll(/\W/g, '-')}.cjs`;
}
