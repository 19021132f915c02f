#!/usr/bin/env node
import { homedir } from 'node:os';
import path from 'node:path';
import type * as Program from './program.ts';
import { loadCompiled } from './start/load-compiled.ts';

/** A value that differs for each build. The bundler sets it. It is absent if the program runs from its sources. */
declare const BUILD: string | undefined;

// There is no await here, because the bundler makes a module for `require` of this file. Node.js runs such a module
// without its loader of ES modules.
if (typeof BUILD === 'undefined') void import('./program.ts').then(({ start }) => start());
else {
  const caches = process.env['XDG_CACHE_HOME'];
  const folder = path.join(caches && path.isAbsolute(caches) ? caches : path.join(homedir(), '.cache'), 'orchctl');
  const program = loadCompiled<typeof Program>(path.join(import.meta.dirname, 'program.cjs'), {
    folder: path.join(folder, 'code'),
    build: BUILD,
    name: process.argv[2] ?? '',
    keeps: ({ commandNames }, name) => commandNames.has(name),
  });
  void program.start();
}
