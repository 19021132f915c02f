import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import {
  CelList,
  type CelValue,
  Duration,
  EvaluationError,
  isMap,
  keyText,
  Timestamp,
  typeNameOf,
  Unsigned,
} from './cel-value.ts';
import { durationText, timestampText } from './time-values.ts';

/** The largest number of values, and of characters in them, that one expression may turn into JSON. */
const MAX_VALUES = 200_000;
const MAX_CHARACTERS = 3 * 1024 * 1024;
const MAX_DEPTH = 500;

/**
 * The result of an expression as JSON. It is a new value whose size is within the limit of a request. Timestamps and
 * durations become texts, and bytes become base64.
 * @throws EvaluationError if a value has no JSON form, or if the result is too large
 */
export function jsonOf(value: CelValue): JsonValue {
  return new Conversion().of(value, 0);
}

class Conversion {
  #values = 0;
  #characters = 0;

  of(value: CelValue, depth: number): JsonValue {
    this.#values++;
    if (this.#values > MAX_VALUES || depth > MAX_DEPTH) throw new EvaluationError('the value is too large');
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number') return finite(value);
    if (typeof value === 'bigint') return whole(value);
    if (value instanceof Unsigned) return whole(value.value);
    if (value instanceof Uint8Array) return this.#text(Buffer.from(value).toString('base64'));
    if (value instanceof Timestamp) return timestampText(value);
    if (value instanceof Duration) return durationText(value);
    if (value instanceof CelList) return this.#list(value, depth);
    if (isMap(value)) return this.#map(value, depth);
    throw new EvaluationError(`a value of type ${typeNameOf(value)} has no JSON form`);
  }

  #text(text: string): string {
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) throw new EvaluationError('the value is too large');
    return text;
  }

  #list(list: CelList, depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    for (const item of list) items.push(this.of(item, depth + 1));
    return items;
  }

  #map(map: Extract<CelValue, { readonly isMap: true }>, depth: number): JsonValue {
    const object = {};
    for (const key of map.keys()) {
      if (typeof key !== 'string') {
        throw new EvaluationError(`map key "${keyText(key)}" is of type ${typeNameOf(key)}, not string`);
      }
      setKey(object, this.#text(key), this.of(map.get(key)!, depth + 1));
    }
    return object;
  }
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new EvaluationError(`the number ${value} has no JSON form`);
  return value;
}

function whole(value: bigint): JsonValue {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : new JsonNumber(String(value));
}
