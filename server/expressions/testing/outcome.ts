import type { JsonValue } from '#base/json/json-value.ts';
import { parseJson } from '#base/json/parse.ts';
import { type ReleaseName, releaseOf } from '#base/release/release.ts';
import { fromJson, typeOfSchema } from '../../custom-resources/cel/schema-type.ts';
import { compiled } from '../../custom-resources/schema/testing/schemas.ts';
import {
  CelList,
  type CelValue,
  Duration,
  EvaluationError,
  isMap,
  LibraryValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Unsigned,
} from '../cel-value.ts';
import { CheckError } from '../check-error.ts';
import { compileExpression } from '../compile-expression.ts';
import { environmentOf } from '../environment.ts';
import { Budget } from '../expression.ts';
import { QuantityValue } from '../libraries/quantity-value.ts';
import { durationText, timestampText } from '../time-values.ts';

const text = { type: 'string', maxLength: 50 };

/** One schema with values of many types. */
const SCHEMA = compiled({
  type: 'object',
  properties: {
    i: { type: 'integer' },
    s: text,
    u: text,
    whole: { type: 'string' },
    l: { type: 'array', maxItems: 5, items: { type: 'integer' } },
    sl: { type: 'array', maxItems: 5, items: text },
    m: { type: 'object', maxProperties: 5, additionalProperties: text },
    ol: { type: 'array', maxItems: 5, items: { type: 'object', properties: { k: text, v: { type: 'integer' } } } },
    o: {
      type: 'object',
      properties: { p: { type: 'object', properties: { q: text, n: { type: 'integer' } } } },
    },
    p: { 'x-orch-int-or-string': true },
  },
});
const SELF = `{"i":7,"s":"hello","u":"a,b","whole":"w","l":[3,1,2],"sl":["b","a","b"],"m":{"a":"x","b":"y"},
  "ol":[{"k":"a","v":1},{"k":"b"}],"o":{"p":{"q":"Q","n":2}},"p":"50%"}`;

/** A value in the form of test tables: `opt([1, "a"])`. */
function shown(value: CelValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof OptionalValue) return value.value === undefined ? 'none' : `opt(${shown(value.value)})`;
  if (value instanceof CelList) return `[${[...value].map(shown).join(', ')}]`;
  if (value instanceof Unsigned) return `${value.value}u`;
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof QuantityValue) return String(value.quantity);
  if (value instanceof LibraryValue || value === null || typeof value !== 'object') return String(value);
  if (!isMap(value)) return Buffer.from(value as Uint8Array).toString('hex');
  return `{${value
    .keys()
    .map((key) => `${shown(key)}: ${shown(value.get(key) ?? null)}`)
    .join(', ')}}`;
}

function compile(expression: string, release: ReleaseName) {
  const sized = typeOfSchema(SCHEMA)!;
  const self = { type: sized.type, place: sized, slot: 'self' } as const;
  return compileExpression(expression, new Map([['self', self]]), sized, environmentOf(releaseOf(release)));
}

/**
 * The result of an expression in a release: a value, `error: ` with the reason, or `refused: ` with the first problem.
 */
export function outcome(expression: string, release: ReleaseName = '1.37'): string {
  try {
    const compiledExpression = compile(expression, release);
    if (compiledExpression.hopeless !== undefined) return `refused: ${compiledExpression.hopeless}`;
    const self = fromJson(SCHEMA, parseJson(SELF).value as JsonValue);
    const budget = new Budget(1_000_000);
    return shown(compiledExpression.run({ self, oldSelf: undefined, locals: [], budget }));
  } catch (error) {
    if (error instanceof EvaluationError) return `error: ${error.message}`;
    if (!(error instanceof CheckError)) throw error;
    return `refused: ${error.message.split('\n', 1)[0]!.replace(/^ERROR: <input>:\d+:\d+: /, '')}`;
  }
}

/** The estimated cost of an expression in a release. */
export function estimate(expression: string, release: ReleaseName = '1.37'): number {
  return compile(expression, release).cost;
}
