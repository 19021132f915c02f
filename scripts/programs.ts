import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { packages } from './rooms.ts';

const root = path.resolve(import.meta.dirname, '..');

/** The main module of the command line, which is bundled in another way. */
export const COMMAND_LINE = 'cli/main.ts';

/** The programs of the product: the main module of each, by its path in `dist/`. */
export const PROGRAMS = {
  'server/main': 'server/main.ts',
  'server/healthcheck': 'server/healthcheck.ts',
  'controllers/main': 'controllers/main.ts',
  'scheduler/main': 'scheduler/main.ts',
  'nodes/main': 'nodes/main.ts',
  'dev/main': 'dev/main.ts',
  'cli/main': COMMAND_LINE,
  'storage/main': 'storage-tool/main.ts',
} as const;

/** Folders with their sources. */
const SOURCES = [...packages.map(({ folder }) => folder), 'proto'];

let built: boolean | undefined;

/** A main module to start as a process, and its environment. */
export interface Program {
  readonly main: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * A program for a test to start: the built one, which takes half the processor time to start, or the source if
 * something has changed since the build.
 */
export function programToTest(name: keyof typeof PROGRAMS): Program {
  built ??= isBuilt();
  if (!built) return { main: path.join(root, PROGRAMS[name]), environment: {} };
  // the compile cache of tests does not fit, because this program sets flags of the engine; it has a cache beside the
  // build
  return { main: path.join(root, 'dist', `${name}.js`), environment: { NODE_COMPILE_CACHE: '' } };
}

/** Whether the build is as new as everything that it is made of. */
function isBuilt(): boolean {
  const builtAt = Math.min(...Object.keys(PROGRAMS).map((name) => changed(path.join('dist', `${name}.js`)) ?? 0));
  return SOURCES.every((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).every(
      (file) =>
        !/\.(ts|proto)$/.test(file) || /\btesting\b|\.test\.ts$/.test(file) || (changed(folder, file) ?? 0) <= builtAt,
    ),
  );
}

/** The time at which a file of the project was last changed. */
function changed(...segments: string[]): number | undefined {
  return statSync(path.join(root, ...segments), { throwIfNoEntry: false })?.mtimeMs;
}
