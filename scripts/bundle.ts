import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { PROGRAMS } from './programs.ts';

/**
 * Modules that were written for `require` may call it for what comes with Node.js; the bundler's own stand-in for it
 * refuses that in an ES module. One of them looks for its files from where it lies.
 */
const REQUIRE = `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const __dirname = import.meta.dirname;`;

/**
 * Bundles the programs of the project in `root` and all packages they need into `root/dist`, with a few chunks that they
 * share. More than a thousand modules would take a third of a start to find and load one by one. Names and lines stay,
 * so that a stack trace says something; with `--enable-source-maps` it names the sources. Types are not looked at.
 * Rejects where the code cannot be read, after saying where.
 */
export async function bundle(root: string): Promise<void> {
  // Their names change with what they hold.
  rmSync(path.join(root, 'dist/chunks'), { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: PROGRAMS,
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: REQUIRE },
    sourcemap: true,
    // The licences of the packages, beside the code that they are for.
    legalComments: 'linked',
    logLevel: 'warning',
  });
  // The client of etcd reads the descriptions of its calls from `../proto`.
  cpSync(path.join(root, 'node_modules/etcd3/proto'), path.join(root, 'dist/proto'), { recursive: true });
}

if (import.meta.main) await bundle(path.resolve(import.meta.dirname, '..'));
