import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Part of `make lint`: comments and documents use plain words, and comments fit the width of the code. The list of
// words and the rooms that are still to be read stand in lint/plain-words.json; that second list only shrinks.

/** Columns that a line of a comment may have. */
const WIDTH = 120;

/** What lint/plain-words.json holds. */
export interface PlainWords {
  /** Words that comments and documents do not use, each with what to write instead. */
  readonly instead: Readonly<Record<string, string>>;
  /** Folders and files, from the root of the project, in which they are not looked for yet. */
  readonly unread: readonly string[];
}

/**
 * The places of a source or a document that are not plain, a line each: `file:line: what is wrong`. In a source whose
 * name ends with `.ts` comments of their own lines are read, in a document all that is neither code nor between back
 * quotes. A document may have lines of any length.
 *
 * @example
 * plainWordProblems('a.ts', '// it begins whilst', { whilst: 'while' })
 * // => ["a.ts:1: 'whilst': write 'while'"]
 */
export function plainWordProblems(file: string, text: string, instead: PlainWords['instead']): string[] {
  const isSource = file.endsWith('.ts');
  const words = new RegExp(`(?<![\\w-])(?:${Object.keys(instead).join('|')})(?![\\w-]| apart)`, 'gi');
  const problems: string[] = [];
  let inCode = false;
  for (const [i, line] of text.split('\n').entries()) {
    if (!isSource && /^\s*(```|~~~)/.test(line)) inCode = !inCode;
    if (isSource ? !/^\s*(\/\/|\/?\*)/.test(line) : inCode) continue;
    const place = `${file}:${i + 1}:`;
    if (isSource && line.length > WIDTH) problems.push(`${place} ${line.length} columns, at most ${WIDTH}`);
    if (isSource && /@throws (?:\{|an? )/.test(line)) problems.push(`${place} '@throws': name the type alone`);
    for (const [word] of line.replaceAll(/`[^`]*`/g, '').matchAll(words)) {
      problems.push(`${place} '${word}': write '${instead[word.toLowerCase()]}'`);
    }
  }
  return problems;
}

/** The sources and documents below a folder, from that folder, but for those that are generated or not ours. */
export function plainFiles(root: string): string[] {
  const found: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
      const name = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!/^(node_modules|dist|generated|\.git|\.run|coverage)$/.test(entry.name)) visit(name);
      } else if (/\.(ts|md)$/.test(entry.name)) found.push(name);
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
