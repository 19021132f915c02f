import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { Random } from '../random.ts';

/**
 * Parts of patterns, some of which make many states. The second list has the numbers of repetitions, some of which are
 * large.
 */
const PARTS = ['a', 'b', '[ab]', '.', '[^c]', '\\w', '(a|aa)', '(a+)+', '(a|b)*', '.*', '\\pL', '(?i:ab)', 'é'];
const TIMES = ['', '', '', '*', '+', '?', '{2,9}'];
const OFTEN = ['', '', '{1,40}', '{1,700}'];

/** A schema that makes the check of values costly, with patterns, enums, alternatives, sets and keys. */
export function costlySchema(random: Random, depth = 0): JsonObject {
  return random.weighed<JsonObject>(
    [4, () => textSchema(random, depth)],
    [depth < 3 ? 3 : 0, () => ({ type: 'array', items: costlySchema(random, depth + 1) })],
    [depth < 3 ? 2 : 0, () => ({ type: 'object', additionalProperties: costlySchema(random, depth + 1) })],
    [1, () => ({ type: 'array', items: textSchema(random, 3), 'x-orch-list-type': 'set' })],
    [1, () => keyedSchema(random)],
  );
}

function textSchema(random: Random, depth: number): JsonObject {
  return { type: 'string', ...limits(random, depth) };
}

function keyedSchema(random: Random): JsonObject {
  const keys = Array.from({ length: random.pick([1, 3, 200]) }, (_, i) => `k${i}`);
  const properties = Object.fromEntries(keys.map((key) => [key, { type: 'string', default: 'x' }]));
  return {
    type: 'array',
    'x-orch-list-type': 'map',
    'x-orch-list-map-keys': keys,
    items: { type: 'object', properties },
  };
}

function limits(random: Random, depth: number): JsonObject {
  // A definition can hold some thousand alternatives.
  const wide = random.pick([2, 8, depth === 0 ? 60 : 8]);
  const alternatives = () => Array.from({ length: wide }, () => limits(random, depth + 1));
  return random.weighed<JsonObject>(
    [5, () => ({ pattern: pattern(random, depth) })],
    [1, () => ({ maxLength: random.pick([1, 100]), pattern: pattern(random, depth) })],
    [1, () => ({ enum: Array.from({ length: random.pick([2, 100, depth === 0 ? 20_000 : 100]) }, (_, i) => `v${i}`) })],
    [1, () => ({ minLength: random.pick([1, 100_000]) })],
    [depth < 3 ? 3 : 0, () => ({ [random.pick(['anyOf', 'oneOf', 'allOf'])]: alternatives() })],
    [depth < 3 ? 1 : 0, () => ({ not: limits(random, depth + 1) })],
  );
}

function pattern(random: Random, depth: number): string {
  const count = random.pick([1, 3, 6]);
  const parts = Array.from({ length: count }, () => `(?:${random.pick(PARTS)})${random.pick(TIMES)}`);
  return (
    random.pick(['', '^']) +
    parts.join('') +
    random.pick(['[ab]', '.']) +
    (depth < 2 ? random.pick(OFTEN) : '') +
    random.pick(['', '$', 'c$'])
  );
}

/** A value for a schema, of about `length` characters. */
export function costlyValue(random: Random, schema: JsonObject, length: number): JsonValue {
  const { type, items, additionalProperties } = schema as {
    type: string;
    items?: JsonObject;
    additionalProperties?: JsonObject;
  };
  if (type === 'string') return text(random, length);
  const count = Math.max(1, Math.min(random.pick([1, 30, 5_000]), Math.floor(length / 20)));
  const member = items ?? additionalProperties ?? {};
  if (member['type'] === 'object' && member['properties'] !== undefined)
    return Array.from({ length: count }, (_, i) => ({ k0: `${i}` }));
  const values = Array.from({ length: count }, () => costlyValue(random, member, Math.floor(length / count)));
  return type === 'array' ? values : Object.fromEntries(values.map((value, i) => [`m${i}`, value]));
}

function text(random: Random, length: number): string {
  const letters = random.pick(['a', 'ab', 'abc', 'aé日', 'v1']);
  const piece = Array.from({ length: Math.min(length, 5_000) }, () => letters[random.below(letters.length)]).join('');
  return piece.repeat(Math.max(1, Math.floor(length / Math.max(piece.length, 1))));
}
