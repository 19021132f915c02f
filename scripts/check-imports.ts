import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Room, roomOf, rooms } from './rooms.ts';

/** Files from the root of the project, each with the files that it imports, types included. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Tests, and what only tests use, may import everything. */
export function isForTests(file: string): boolean {
  return /\.(test(-suite)?|e2e)\.ts$|(^|\/)testing\//.test(file);
}

/** Modules of Node.js that do no I/O. */
const COMPUTES = new Set(['node:buffer', 'node:crypto']);

const IMPORTED = /(?:\bfrom\s*|\bimport\s*\(\s*|^import\s+)'((?:\.{1,2}\/|node:)[^']+)'/gm;

/** The files that a source imports, and modules of Node.js; no packages. */
export function importsOf(file: string, source: string): string[] {
  return [...source.matchAll(IMPORTED)].map(([, target]) =>
    target!.startsWith('node:') ? target! : path.posix.join(path.posix.dirname(file), target!),
  );
}

/** Reads the files of all rooms below `root`, but for tests and generated ones. */
export function readImports(root: string): ImportGraph {
  const graph = new Map<string, string[]>();
  const folders = [...new Set(rooms.map(({ folder }) => folder.split('/')[0]!))];
  for (const folder of folders.filter((name) => existsSync(path.join(root, name)))) {
    for (const name of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
      const file = `${folder}/${name}`;
      if (!file.endsWith('.ts') || isForTests(file) || file.includes('/generated/')) continue;
      graph.set(file, importsOf(file, readFileSync(path.join(root, file), 'utf8')));
    }
  }
  return graph;
}

/**
 * What is wrong with the ways that imports go, a line each: upwards, out of all rooms, into what is for tests, or from a
 * pure room to what does I/O.
 */
export function wrongWays(graph: ImportGraph, table: readonly Room[] = rooms): string[] {
  const wrong: string[] = [];
  for (const [file, targets] of graph) {
    const from = roomOf(file, table);
    if (from === undefined) {
      wrong.push(`${file} is in no room: add its folder to scripts/rooms.ts, above what it imports`);
      continue;
    }
    for (const target of targets) {
      if (target.startsWith('node:')) {
        if (from.pure === true && !COMPUTES.has(target))
          wrong.push(`${file} imports ${target}: ${from.folder} is pure`);
        continue;
      }
      const to = roomOf(target, table);
      if (isForTests(target)) wrong.push(`${file} imports ${target}, which is for tests`);
      else if (to === undefined) wrong.push(`${file} imports ${target}, which is in no room`);
      else if (!mayImport(from, to, table))
        wrong.push(`${file} imports ${target}: ${from.folder} must not use ${to.folder}`);
    }
  }
  return wrong;
}

function mayImport(from: Room, to: Room, table: readonly Room[]): boolean {
  if (from === to) return true;
  if (from.pure === true && to.folder === 'storage-etcd') return false;
  return from.imports?.includes(to.folder) ?? table.indexOf(to) < table.indexOf(from);
}

/** Files that import themselves by way of others, a line for each circle. */
export function circles(graph: ImportGraph): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (file: string): void => {
    if (done.has(file)) return;
    const at = way.indexOf(file);
    if (at >= 0) {
      found.push([...way.slice(at), file].join(' imports '));
      return;
    }
    way.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    way.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return found;
}

if (import.meta.main) {
  const graph = readImports(path.resolve(import.meta.dirname, '..'));
  const wrong = [...wrongWays(graph), ...circles(graph)];
  for (const line of wrong) console.error(line);
  if (wrong.length > 0) process.exitCode = 1;
  else console.log(`The imports of ${graph.size} files go one way.`);
}
