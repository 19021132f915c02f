import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Package, type Place, packages, placeOf } from './rooms.ts';

/** Files from the root of the project, each with the files that it imports, types included. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Tests, and what only tests use, may import everything. */
export function isForTests(file: string): boolean {
  return /\.(test(-suite)?|e2e)\.ts$|(^|\/)testing\//.test(file);
}

/** Modules of Node.js that do no I/O. */
const COMPUTES = new Set(['node:buffer', 'node:crypto']);

const IMPORTED = /(?:\bfrom\s*|\bimport\s*\(\s*|^import\s+)'((?:\.{1,2}\/|#|node:)[^']+)'/gm;

/** The files that a source imports, and modules of Node.js; no packages of others. */
export function importsOf(file: string, source: string): string[] {
  return [...source.matchAll(IMPORTED)].map(([, target]) => {
    if (target!.startsWith('node:')) return target!;
    return target!.startsWith('#') ? target!.slice(1) : path.posix.join(path.posix.dirname(file), target!);
  });
}

/** Reads the files of all packages below `root`, except tests and generated files. */
export function readImports(root: string): ImportGraph {
  const graph = new Map<string, string[]>();
  for (const { folder } of packages.filter((one) => existsSync(path.join(root, one.folder)))) {
    for (const name of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
      const file = `${folder}/${name}`;
      if (!file.endsWith('.ts') || isForTests(file) || file.includes('/generated/')) continue;
      graph.set(file, importsOf(file, readFileSync(path.join(root, file), 'utf8')));
    }
  }
  return graph;
}

/**
 * The wrong imports, one line each: imports upwards, out of all packages, of test code, of I/O by a pure room, and of
 * another package by a path instead of its name.
 */
export function wrongWays(graph: ImportGraph, table: readonly Package[] = packages): string[] {
  const wrong: string[] = [];
  for (const [file, targets] of graph) {
    const from = placeOf(file, table);
    if (from === undefined) {
      wrong.push(`${file} is in no room: add its folder to scripts/rooms.ts, above what it imports`);
      continue;
    }
    for (const target of targets) {
      if (target.startsWith('node:')) {
        if (isPure(from) && !COMPUTES.has(target)) wrong.push(`${file} imports ${target}: ${nameOf(from)} is pure`);
        continue;
      }
      const to = placeOf(target, table);
      if (isForTests(target)) wrong.push(`${file} imports ${target}, which is for tests`);
      else if (to === undefined) wrong.push(`${file} imports ${target}, which is in no room`);
      else if (!mayImport(from, to))
        wrong.push(`${file} imports ${target}: ${nameOf(from)} must not use ${nameOf(to)}`);
    }
  }
  return wrong;
}

function isPure(place: Place): boolean {
  return place.room?.pure ?? place.package.pure ?? false;
}

function nameOf(place: Place): string {
  return (place.room ?? place.package).folder;
}

function mayImport(from: Place, to: Place): boolean {
  if (from.package !== to.package)
    return from.package.imports.includes(to.package.folder) || from.package.imports.includes(nameOf(to));
  if (from.room === to.room) return true;
  const rooms = from.package.rooms ?? [];
  // The main modules of a package are above its rooms.
  if (from.room === undefined) return true;
  return to.room !== undefined && rooms.indexOf(to.room) < rooms.indexOf(from.room);
}

/**
 * Circles of imports between the folders of a package, one line for each circle. Single files at the root of a package,
 * its folders, and the folders of single commands count as folders.
 */
export function folderCircles(graph: ImportGraph): string[] {
  const folders = new Map<string, Set<string>>();
  for (const [file, targets] of graph) {
    const from = folderOf(file);
    const to = folders.get(from) ?? new Set();
    folders.set(from, to);
    for (const target of targets) {
      const folder = folderOf(target);
      if (!target.startsWith('node:') && folder !== from && !target.includes('/generated/')) to.add(folder);
    }
  }
  return circles(new Map([...folders].map(([folder, to]) => [folder, [...to]])));
}

function folderOf(file: string): string {
  const parts = file.split('/');
  const depth = file.startsWith('cli/commands/') ? 3 : 2;
  return parts.slice(0, depth).join('/');
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
  const wrong = [...wrongWays(graph), ...circles(graph), ...folderCircles(graph)];
  for (const line of wrong) console.error(line);
  if (wrong.length > 0) process.exitCode = 1;
  else console.log(`The imports of ${graph.size} files go one way.`);
}
