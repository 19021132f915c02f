import { RESERVED_WORDS } from './reserved-words.ts';

/** Words with a meaning in the grammar, unlike names that are only reserved: they cannot select a field. */
const SYNTAX = new Set(['true', 'false', 'null', 'in']);

const SPELT_OUT: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);

/** The name by which expressions select a field: characters that names of the language lack are spelt out. */
function escapedName(name: string): string | undefined {
  if (RESERVED_WORDS.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (part) => SPELT_OUT.get(part)!);
}

/**
 * The names by which expressions select a field: none for one that they cannot reach. A word that is kept for later is
 * also selected by itself, as in `self.namespace`.
 */
export function selectedBy(name: string): string[] {
  const escaped = escapedName(name);
  const names = escaped === undefined ? [] : [escaped];
  return RESERVED_WORDS.has(name) && !SYNTAX.has(name) ? [...names, name] : names;
}
