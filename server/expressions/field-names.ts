import { RESERVED_WORDS } from './reserved-words.ts';

/** Words with a meaning in the grammar. Unlike names that are only reserved, they cannot select a field. */
const SYNTAX = new Set(['true', 'false', 'null', 'in']);

const SPELT_OUT: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);

/** The name by which expressions select a field. Characters that are not allowed in names are replaced by escapes. */
function escapedName(name: string): string | undefined {
  if (RESERVED_WORDS.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (part) => SPELT_OUT.get(part)!);
}

/**
 * The names by which expressions select a field. None if they cannot reach the field. A reserved word also selects the
 * field of its own name, as in `self.namespace`.
 */
export function selectedBy(name: string): string[] {
  const escaped = escapedName(name);
  const names = escaped === undefined ? [] : [escaped];
  return RESERVED_WORDS.has(name) && !SYNTAX.has(name) ? [...names, name] : names;
}
