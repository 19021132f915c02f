import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { collectDeclarations } from './declarations.ts';

/**
 * Has the compiler write declarations, and keeps those that the exports of a package reach.
 *
 * @param settings of the compiler, from the root of the project
 * @param doors modules, from there as well
 * @param change what a declaration says in place of its text
 * @throws Error with what the compiler says
 */
export function writeDeclarations(
  root: string,
  settings: string,
  doors: readonly string[],
  folder: string,
  change: (text: string) => string = (text) => text,
): void {
  const made = mkdtempSync(path.join(tmpdir(), 'declarations-'));
  try {
    const require = createRequire(path.join(root, 'package.json'));
    const tsc = path.join(path.dirname(require.resolve('typescript/package.json')), 'bin/tsc');
    // One type checker is enough for a package. Each additional one would read the declarations of Node.js again.
    const args = [tsc, '-p', settings, '--outDir', made, '--checkers', '1'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`declarations cannot be made by ${settings}:\n${stdout}${stderr}`);
    const files = collectDeclarations(
      doors.map((door) => door.replace(/\.ts$/, '.d.ts')),
      (file) => change(readFileSync(path.join(made, file), 'utf8')),
    );
    for (const [file, text] of files) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** The metadata that published packages take from the project. */
export interface OwnPackage {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The metadata of the project in `root`. */
export function ownPackage(root: string): OwnPackage {
  return JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
}

/** Writes the licence and the package.json of a published package into its folder. */
export function writeMetadata(root: string, folder: string, description: object): void {
  copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(description, undefined, 2)}\n`);
}

/**
 * Puts a package together in a folder of `dist` and packs it there, from the root of this project. Says which file it
 * is, and resolves with the status of npm.
 */
export async function packInto(
  dist: string,
  name: string,
  stage: (root: string, folder: string) => void | Promise<void>,
): Promise<number> {
  const root = path.resolve(import.meta.dirname, '..');
  const folder = path.join(root, dist, name);
  await stage(root, folder);
  const { status, stdout } = spawnSync('npm', ['pack', '--silent', '--pack-destination', path.join(root, dist)], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status === 0) console.log(`${dist}/${stdout.trim()}`);
  return status ?? 1;
}
