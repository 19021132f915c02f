import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { codelessLines } from './codeless-lines.ts';
import { sourceTexts } from './source-texts.ts';
import { type VendorWords, vendorWordProblems } from './vendor-words.ts';

// Part of `make lint`. It checks that comments, texts and documents use plain words, that comments fit the width of the
// code, and that only files of base/naming spell a vendor's words. The lists of words are lint/plain-words.json, which
// also names the folders that are not read yet (that list only shrinks), and lint/vendor-words.json.

/** Columns that a line of a comment may have. */
const WIDTH = 120;

/** The content of lint/plain-words.json. */
export interface PlainWords {
  /** Words that comments, texts and documents do not use, each with what to write instead. */
  readonly instead: Readonly<Record<string, string>>;
  /** Folders and files, from the root of the project, in which they are not looked for yet. */
  readonly unread: readonly string[];
}

/**
 * The places with hard words in a source or a document, one line each: `file:line: the problem`. In a source, whose
 * name ends with `.ts`, it reads comments and texts of several words: errors, help, and titles of tests. In a document
 * it reads everything except code and text between back quotes, and lines may have any length.
 *
 * @example
 * plainWordProblems('a.ts', '// it begins whilst', { whilst: 'while' })
 * // => ["a.ts:1: 'whilst': write 'while'"]
 */
export function plainWordProblems(file: string, text: string, instead: PlainWords['instead']): string[] {
  const words = new RegExp(`(?<![\\w-])(?:${Object.keys(instead).join('|')})(?![\\w-]| apart)`, 'gi');
  const wordsIn = (line: number, read: string): string[] =>
    [...read.replaceAll(/`[^`]*`/g, '').matchAll(words)].map(
      ([word]) => `${file}:${line}: '${word}': write '${instead[word.toLowerCase()]}'`,
    );
  const lines = text.split('\n');
  if (!file.endsWith('.ts')) return codelessLines(text).flatMap((line, i) => wordsIn(i + 1, line));
  return sourceTexts(text).flatMap(({ kind, line: first, text: read }) => {
    if (kind === 'text') return /\s/.test(read) ? wordsIn(first, read) : [];
    return read.split('\n').flatMap((part, i) => {
      const line = first + i;
      const { length } = lines[line - 1]!;
      return [
        ...(length > WIDTH ? [`${file}:${line}: ${length} columns, at most ${WIDTH}`] : []),
        ...(/@throws (?:\{|an? )/.test(part) ? [`${file}:${line}: '@throws': name the type alone`] : []),
        ...wordsIn(line, part),
      ];
    });
  });
}

/** The sources and documents below a folder, relative to that folder, except generated and external ones. */
export function plainFiles(root: string, kinds = /\.(ts|md)$/): string[] {
  const found: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
      const name = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!/^(node_modules|dist|generated|\.git|\.run|coverage)$/.test(entry.name)) visit(name);
      } else if (kinds.test(entry.name)) found.push(name);
    }
  };
  visit('');
  return found;
}

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, '..');
  const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
  const { instead, unread } = JSON.parse(read('lint/plain-words.json')) as PlainWords;
  const files = plainFiles(root);
  const isUnread = (file: string) => unread.some((one) => file === one || file.startsWith(`${one}/`));
  const problems = files
    .filter((file) => !isUnread(file))
    .flatMap((file) => plainWordProblems(file, read(file), instead));
  const vendor = JSON.parse(read('lint/vendor-words.json')) as VendorWords;
  for (const file of plainFiles(root, /\.(ts|md|proto)$/))
    problems.push(...vendorWordProblems(file, read(file), vendor));
  for (const one of unread) {
    const left = files.filter((file) => file === one || file.startsWith(`${one}/`));
    if (left.every((file) => plainWordProblems(file, read(file), instead).length === 0)) {
      problems.push(`lint/plain-words.json: ${one} is plain: remove it from 'unread'`);
    }
  }
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`The words of ${files.length} files are plain.`);
}
