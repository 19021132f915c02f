import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { FieldType, MessageType, ValueType } from '#schema/descriptors/types.ts';
import { ODD_TEXTS, oddValue } from './odd-values.ts';
import type { Random } from './random.ts';

/** The names that requests share, so that they use each other's objects. */
export const NAMES = ['a', 'b', 'fuzz-1'] as const;

/** The largest depth of objects that are made only from their description. */
const DEPTH = 6;

/** Makes an object from its message type. It has some of the fields, with values that mostly fit. */
export function makeMessage(random: Random, type: MessageType, depth = 0): JsonValue {
  switch (type.jsonForm) {
    case 'object':
      break;
    case 'quantity':
      return random.pick(['1', '100m', '1Gi', '0', '1e3', '-5', '0.5', '1Ki']);
    case 'int-or-string':
      return random.pick<JsonValue>([1, 80, 0, -1, '50%', 'http', '0%']);
    case 'time':
      return '2020-01-01T00:00:00Z';
    case 'micro-time':
      return '2020-01-01T00:00:00.000000Z';
    case 'duration':
      return '1m0s';
    default:
      return random.chance(0.5) ? oddValue(random) : { a: 'b' };
  }
  const object: JsonObject = {};
  for (const field of type.jsonFields) {
    if (depth >= DEPTH && !field.required) continue;
    if (random.chance(field.required ? 0.9 : depth === 0 ? 0.7 : 0.3))
      object[field.name] = makeField(random, field, depth + 1);
  }
  return object;
}

/** Makes a value of a field. */
function makeField(random: Random, field: FieldType, depth: number): JsonValue {
  if (random.chance(0.02)) return oddValue(random);
  const one = (): JsonValue =>
    field.enum !== undefined && random.chance(0.8)
      ? random.pick(field.enum)
      : makeValue(random, field, field.name, depth);
  if (field.repeated) return Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, one);
  if (!field.map) return one();
  const map: JsonObject = {};
  for (let left = random.pick([0, 1, 2]); left > 0; left--)
    map[random.pick(['a', 'cpu', 'memory', 'app', 'x/y', ...ODD_TEXTS.slice(45, 52)])] = one();
  return map;
}

function makeValue(random: Random, type: ValueType, name: string, depth: number): JsonValue {
  if (type.message !== undefined) return makeMessage(random, type.message, depth);
  switch (type.scalar) {
    case 'bool':
      return random.chance(0.5);
    case 'int32':
    case 'int64':
      return random.pick([0, 1, 2, 5, 80, 443, 1000, 65535, -1]);
    case 'double':
      return random.pick([0, 0.5, 3]);
    case 'bytes':
      return random.pick(['', 'AAE=', 'eyJhIjoxfQ==']);
    case 'any':
      return oddValue(random);
    default:
      return textFor(random, name);
  }
}

/** A value for a text field of this name. */
function textFor(random: Random, name: string): string {
  if (random.chance(0.1)) return random.pick(ODD_TEXTS);
  if (/ip$|address/i.test(name)) return random.pick(['10.1.2.3', '::1', '10.0.0.7']);
  if (/cidr/i.test(name)) return random.pick(['10.1.0.0/16', 'fd00::/64']);
  if (/apiVersion/.test(name)) return random.pick(['v1', 'apps/v1', 'a/b/c']);
  if (/operator/i.test(name)) return random.pick(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Equal']);
  if (/path/i.test(name)) return random.pick(['/x', 'x/y', '../x', '/']);
  if (/host/i.test(name)) return random.pick(['example.com', '*.example.com', 'h']);
  if (/url/i.test(name)) return random.pick(['https://example.com/x', 'x']);
  return random.pick([...NAMES, 'x', 'Always', 'TCP', 'example.com/x', 'nginx:1', '1']);
}
