import { own } from '#base/collections/own-properties.ts';
import { FieldPath } from '#base/errors/field-error.ts';
import type { JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The steps from one schema to the next on a path. */
export interface SchemaSteps<T> {
  /** Whether a schema gives the names of its members. Otherwise all members have the same schema. */
  namesMembers(schema: T): boolean;
  member(schema: T, name: string): T | undefined;
}

/** The steps in compiled schemas. */
export const structuralSteps: SchemaSteps<StructuralSchema> = {
  namesMembers: ({ properties }) => properties.size > 0,
  member: ({ properties, additional }, name) =>
    properties.size > 0 ? properties.get(name) : typeof additional === 'object' ? additional : undefined,
};

/** The steps in the schemas of definitions. */
export const definedSteps: SchemaSteps<JSONSchemaProps> = {
  namesMembers: ({ properties }) => properties !== undefined && Object.keys(properties).length > 0,
  member: (schema, name) => {
    const { properties = {}, additionalProperties } = schema;
    if (definedSteps.namesMembers(schema)) return own(properties, name);
    return typeof additionalProperties === 'object' ? additionalProperties : undefined;
  },
};

/** The field at a path of a schema. */
export interface FoundField<T> {
  /** The path in the form of messages: `o.x`, `m[a-b]`. */
  readonly path: FieldPath;
  /** The first name on the path. */
  readonly first: string;
  readonly schema: T;
}

/** Matches a quoted name, a separator of a path, or the text between separators. */
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
 * Finds the field of a path in the notation of definitions: `.spec.a`, `['a-b'].c`. Otherwise it returns the error of
 * the path.
 * @param steps the steps from one schema to the next
 * @param allowsBrackets whether names may be in brackets
 */
export function findField<T>(
  text: string,
  root: T,
  steps: SchemaSteps<T>,
  allowsBrackets = true,
): FoundField<T> | string {
  const tokens = text.match(TOKENS) ?? [];
  let found: FoundField<T> | undefined;
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
    found = below(found, name, root, steps);
    if (found === undefined) return LOST;
  }
  return found ?? LOST;
}

function below<T>(
  found: FoundField<T> | undefined,
  name: string,
  root: T,
  steps: SchemaSteps<T>,
): FoundField<T> | undefined {
  const from = found?.schema ?? root;
  const schema = steps.member(from, name);
  if (schema === undefined) return undefined;
  const at = found?.path;
  const named = () => (at === undefined ? new FieldPath(name) : at.child(name));
  const path = steps.namesMembers(from) ? named() : (at ?? new FieldPath()).key(name);
  return { path, first: found?.first ?? name, schema };
}
