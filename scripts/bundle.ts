import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type BuildOptions, type BuildResult, build, type Plugin } from 'esbuild';
import { writeAscii } from './ascii-output.ts';
import { builtAs } from './built-as.ts';
import { bundleCommandLine } from './bundle-command-line.ts';
import { bundleConsole } from './bundle-console.ts';
import { COMMAND_LINE, PROGRAMS } from './programs.ts';

/**
 * Modules that were written for `require` may call it for built-in modules of Node.js. In an ES module the bundler
 * replaces `require` by a function that refuses this. One of these modules also looks for files beside itself. The long
 * name avoids a conflict with imports of packages, because the bundler does not see this line.
 */
const REQUIRE = `import { createRequire as __requireOfBundle } from 'node:module';
const require = __requireOfBundle(import.meta.url);
const __dirname = import.meta.dirname;`;

/**
 * Packages that are bundled in their form for `require`. In their form as ES modules they create a `require` function
 * at run time. The bundler does not see that, so their dependencies would have to be beside the bundle.
 */
const REQUIRED = ['@opentelemetry/exporter-trace-otlp-grpc'];

/**
 * Makes the bundle `require` `node:http` instead of importing it. An import reads all exports of the module, among them
 * the client for web sockets of Node.js: 3 MB of each process.
 */
const requireHttp: Plugin = {
  name: 'require node:http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'required' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/**
 * Leaves out what reads bodies for Express: nothing here uses it. Its tables of character sets are a tenth of all code,
 * which the engine holds in memory.
 */
const withoutBodyParser: Plugin = {
  name: 'without body-parser',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^body-parser$/ }, ({ path }) => ({ path, namespace: 'left out' }));
    onLoad({ filter: /.*/, namespace: 'left out' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/**
 * A function that bundles with given options: `build` of esbuild, or a builder that keeps its parsed files for the next
 * call.
 */
export type Builder = (options: BuildOptions) => Promise<BuildResult>;

/**
 * Bundles the programs of the project in `root` and all their packages into `root/dist`, with a few shared chunks. To
 * find and load more than a thousand modules one by one would take a third of a start. Names stay, and lines are short,
 * so that stack traces are readable; with `--enable-source-maps` they name the sources. Types are not checked. Rejects
 * if the code cannot be read, after it has printed the place.
 */
export async function bundle(root: string, builder: Builder = build): Promise<void> {
  // Their names change with their content.
  rmSync(path.join(root, 'dist/chunks'), { recursive: true, force: true });
  const programs = Object.fromEntries(Object.entries(PROGRAMS).filter(([, main]) => main !== COMMAND_LINE));
  await builder(programOptions(root, programs, 'dist'));
  for (const folder of ['chunks', 'server', 'controllers', 'dev', 'storage'])
    writeAscii(path.join(root, 'dist', folder));
  await bundleCommandLine(root, builder);
  await bundleConsole(root, builder);
  // Unit files of the previous release name this path. The next release removes it.
  writeFileSync(
    path.join(root, 'dist/server/controller-manager.js'),
    "// The controller manager is built to dist/controllers/main.js; this path goes with the next release.\nimport '../controllers/main.js';\n",
  );
  // The client of etcd reads the descriptions of its calls from `../proto`.
  cpSync(path.join(root, 'node_modules/etcd3/proto'), path.join(root, 'dist/proto'), { recursive: true });
}

/** Options for bundling programs of this project, from the names of the outputs and their main modules. */
export function programOptions(root: string, programs: Readonly<Record<string, string>>, outdir: string): BuildOptions {
  const { resolve } = createRequire(path.join(root, 'package.json'));
  return {
    absWorkingDir: root,
    entryPoints: { ...programs },
    outdir,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    alias: Object.fromEntries(REQUIRED.map((name) => [name, resolve(name)])),
    banner: { js: REQUIRE },
    plugins: [requireHttp, withoutBodyParser],
    // The engine keeps the whole text in memory.
    minifyWhitespace: true,
    lineLimit: 160,
    define: builtAs(root),
    sourcemap: true,
    // The licences of the packages, beside their code.
    legalComments: 'linked',
    logLevel: 'warning',
  };
}

if (import.meta.main) await bundle(path.resolve(import.meta.dirname, '..'));
