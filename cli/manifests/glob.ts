import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** The error for a text that is not a pattern. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

const MAGIC = /[*?[\\]/;

/**
 * The files that match a pattern such as `conf/*.yaml`, in the order of their names.
 * @throws PatternError if the pattern is malformed
 */
export function filesMatching(pattern: string): string[] {
  const parts = pattern.split('/').map((part) => (MAGIC.test(part) ? expressionOf(part) : part));
  let found = [''];
  parts.forEach((part, n) => {
    const last = n === parts.length - 1;
    found = found.flatMap((folder) => {
      if (part instanceof RegExp)
        return namesIn(folder)
          .filter((name) => part.test(name))
          .map((name) => folder + name);
      return exists(folder + part) ? [folder + part] : [];
    });
    if (!last) found = found.map((one) => `${one}/`);
  });
  return found.map((one) => path.normalize(one));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder === '' ? '.' : folder).sort();
  } catch {
    return [];
  }
}

function exists(file: string): boolean {
  if (file === '' || file.endsWith('/')) return true;
  try {
    lstatSync(file);
    return true;
  } catch {
    return false;
  }
}

/**
 * Parses one part of a pattern. `*` matches any characters, `?` one character, `[a-c]` one of these, and `[^a-c]` any
 * other character. `\\` removes the special meaning of the next character.
 */
function expressionOf(part: string): RegExp {
  let source = '';
  for (let at = 0; at < part.length; at++) {
    const char = part[at]!;
    if (char === '*') source += '.*';
    else if (char === '?') source += '.';
    else if (char === '[') {
      const match = /^\[(\^?)((?:\\.|[^\]\\])+)\]/.exec(part.slice(at));
      if (match === null) throw new PatternError('syntax error in pattern');
      const [all, not, set = ''] = match;
      source += `[${not}${set.replaceAll(/\[/g, '\\[').replaceAll(/\^/g, '\\^')}]`;
      at += all.length - 1;
    } else if (char === '\\') {
      const next = part[++at];
      if (next === undefined) throw new PatternError('syntax error in pattern');
      source += escaped(next);
    } else source += escaped(char);
  }
  try {
    return new RegExp(`^${source}$`, 'su');
  } catch {
    throw new PatternError('syntax error in pattern');
  }
}

function escaped(char: string): string {
  return char.replaceAll(/[\^$.*+?()[\]{}|/]/g, '\\$&');
}
