import { FieldPath } from '#base/errors/field-error.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Where a path of a schema leads. */
export interface FoundField {
  /** The path as messages show it: `o.x`, `m[a-b]`. */
  readonly path: FieldPath;
  /** The first name of it. */
  readonly first: string;
  readonly schema: StructuralSchema;
}

/** A quoted name, one of the signs that part a path, or what stands between them. */
const TOKENS = /'(?:[^'\\]|\\[\s\S])*'|[.[\]]|[^.[\]]+/g;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
]);
const LOST = 'does not refer to a valid field';

/**
 * Finds the field that a path leads to, as definitions write it: `.spec.a`, `['a-b'].c`; or says what is wrong with the
 * path.
 * @param allowsBrackets whether names may stand in brackets
 */
export function findField(text: string, root: StructuralSchema, allowsBrackets = true): FoundField | string {
  const tokens = text.match(TOKENS) ?? [];
  let found: FoundField | undefined;
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i++]!;
    if (token !== '.' && token !== '[') return `expected [ or . but got: ${token}`;
    if (token === '[' && !allowsBrackets) return 'array notation is not allowed';
    const word = tokens[i++];
    if (word === undefined) return 'unexpected end of JSON path';
    let name: string | undefined = word;
    if (token === '[') {
      if (!/^'[\s\S]*'$/.test(word) || word.length < 2) return `expected single quoted string but got ${word}`;
      const bad = /\\(?![abfnrtv'\\])[\s\S]?/.exec(word)?.[0];
      if (bad !== undefined) return `invalid string literal: invalid escape char ${bad}`;
      name = word.slice(1, -1).replace(/\\([\s\S])/g, (_, letter: string) => ESCAPES.get(letter)!);
      const close = tokens[i++];
      if (close === undefined) return 'unexpected end of JSON path';
      if (close !== ']') return `expected ] but got ${close}`;
    }
    found = below(found, name, root);
    if (found === undefined) return LOST;
  }
  return found ?? LOST;
}

function below(found: FoundField | undefined, name: string, root: StructuralSchema): FoundField | undefined {
  const { properties, additional } = found?.schema ?? root;
  const isNamed = properties.size > 0;
  const schema = isNamed ? properties.get(name) : typeof additional === 'object' ? additional : undefined;
  if (schema === undefined) return undefined;
  const at = found?.path;
  const path = isNamed ? (at === undefined ? new FieldPath(name) : at.child(name)) : (at ?? new FieldPath()).key(name);
  return { path, first: found?.first ?? name, schema };
}
