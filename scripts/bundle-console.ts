import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import type { Builder } from './bundle.ts';

/**
 * Bundles the console's page of the project in `root` into `root/dist/cli/console`, beside the command that serves it.
 * Rejects if the code cannot be read, after it has printed the place.
 */
export async function bundleConsole(root: string, builder: Builder = build): Promise<void> {
  const folder = path.join(root, 'dist/cli/console');
  mkdirSync(folder, { recursive: true });
  await builder({
    absWorkingDir: root,
    entryPoints: [path.join(root, 'console/page/page.tsx')],
    outfile: path.join(folder, 'page.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // Copies of the project that only build do not have the file.
    tsconfigRaw: '{}',
    minify: true,
    legalComments: 'linked',
    logLevel: 'warning',
  });
  for (const file of ['index.html', 'page.css', 'object.css', 'icon.svg'])
    cpSync(path.join(root, 'console/page', file), path.join(folder, file));
}
