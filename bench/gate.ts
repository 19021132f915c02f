/**
 * `make bench-gate` measures the cost of requests with the change in this folder beside its base, in a few minutes. The
 * base is the commit at which the branch left `main` (`BASE` names another commit). It is built in a separate working
 * tree below `.run`, which is removed in the end. bench/side-by-side.ts does the measuring with the same settings, but
 * the defaults here are smaller. A person reads the result: no figure makes this command fail, because a busy machine
 * can make any request dearer.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const tree = path.join(root, '.run/bench-base');
const SETTINGS = { PODS: '500', SCALE: '0.2', TURNS: '16' };
const ROWS = '--only=GET one,most recent,page of 500,create,update,merge patch,server-side apply';

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

function node(folder: string, ...args: string[]): void {
  execFileSync(process.execPath, args, {
    cwd: folder,
    stdio: 'inherit',
    env: { ...SETTINGS, ...process.env },
  });
}

/** Builds a tree with its own build script: an older tree may have other parts. */
function build(folder: string): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'inherit' });
}

function removeTree(): void {
  rmSync(tree, { recursive: true, force: true });
  git('worktree', 'prune');
}

const named = process.env['BASE'];
const base =
  named === undefined ? git('merge-base', 'HEAD', 'main') : git('rev-parse', '--verify', `${named}^{commit}`);
console.log(`Base: ${git('log', '-1', '--format=%h %s', base)}`);
removeTree();
try {
  git('worktree', 'add', '--quiet', '--detach', tree, base);
  symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'));
  build(tree);
  build(root);
  const rows = process.argv.slice(2).some((argument) => argument.startsWith('--only=')) ? [] : [ROWS];
  node(
    root,
    'bench/side-by-side.ts',
    path.join(tree, 'dist/server/main.js'),
    path.join(root, 'dist/server/main.js'),
    ...rows,
    ...process.argv.slice(2),
  );
} finally {
  removeTree();
}
