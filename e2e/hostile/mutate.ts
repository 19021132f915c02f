import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import { ODD_TEXTS, oddValue } from './odd-values.ts';
import type { Random } from './random.ts';

/** The position of a value in another one. */
interface Place {
  readonly parent: JsonObject | JsonValue[];
  readonly key: string | number;
}

function* places(value: JsonValue, left = { count: 2000 }): Generator<Place> {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left.count-- > 0; i++) {
      yield { parent: value, key: i };
      yield* places(value[i]!, left);
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (left.count-- <= 0) return;
      yield { parent: value, key };
      yield* places(value[key]!, left);
    }
  }
}

function at({ parent, key }: Place): JsonValue {
  return (parent as { [key: string | number]: JsonValue })[key]!;
}

function put({ parent, key }: Place, value: JsonValue): void {
  if (Array.isArray(parent)) parent[key as number] = value;
  else setKey(parent, key as string, value);
}

function drop({ parent, key }: Place): void {
  if (Array.isArray(parent)) parent.splice(key as number, 1);
  else delete parent[key as string];
}

/** Changes a value in some places, often in one. It changes only a copy. */
export function mutated(random: Random, original: JsonValue): JsonValue {
  if (!Array.isArray(original) && !isObject(original)) return oddValue(random);
  const value = structuredClone(original);
  for (let left = random.pick([1, 1, 1, 2, 2, 3, 5]); left > 0; left--) {
    const all = [...places(value)];
    if (all.length === 0) return oddValue(random);
    const place = random.pick(all);
    random.weighed<void>(
      [8, () => put(place, oddValue(random))],
      [3, () => drop(place)],
      [2, () => put(place, structuredClone(at(random.pick(all))))],
      [2, () => put(place, [at(place), structuredClone(at(place))])],
      [1, () => put(place, { [random.pick(ODD_TEXTS)]: at(place) })],
      [2, () => add(random, at(place))],
      [1, () => void (Array.isArray(place.parent) && place.parent.push(structuredClone(at(place))))],
      [1, () => void (Array.isArray(place.parent) && place.parent.reverse())],
    );
  }
  return value;
}

/** Adds one member to an object, such as a patch may have. */
function add(random: Random, value: JsonValue): void {
  if (!isObject(value)) return;
  const [some = 'x'] = Object.keys(value);
  const name = random.pick([
    '$patch',
    '$retainKeys',
    `$setElementOrder/${some}`,
    `$deleteFromPrimitiveList/${some}`,
    'metadata',
    'x',
    ...ODD_TEXTS.slice(45, 52),
  ]);
  setKey(
    value,
    name,
    random.chance(0.5) ? oddValue(random) : random.pick(['replace', 'delete', 'merge', [{ name: 'c' }]]),
  );
}

/** Changes bytes. Some have other values, some are missing, and some are doubled. */
export function mutatedBytes(random: Random, original: Uint8Array): Buffer {
  let bytes: Buffer = Buffer.from(original);
  for (let left = random.pick([1, 1, 2, 4]); left > 0; left--) {
    const from = random.below(bytes.length + 1);
    const length = random.pick([1, 1, 2, 8, 64]);
    bytes = random.weighed<Buffer>(
      [4, () => (bytes.length === 0 ? bytes : flipped(random, bytes, from % bytes.length))],
      [1, () => bytes.subarray(0, from)],
      [2, () => Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)])],
      [2, () => Buffer.concat([bytes.subarray(0, from), bytes.subarray(Math.max(0, from - length))])],
      [2, () => Buffer.concat([bytes.subarray(0, from), Buffer.from(random.pick(ODD_TEXTS)), bytes.subarray(from)])],
      [
        1,
        () =>
          Buffer.concat([bytes.subarray(0, from), Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]), bytes.subarray(from)]),
      ],
    );
  }
  return Buffer.from(bytes);
}

function flipped(random: Random, bytes: Buffer, at: number): Buffer {
  bytes[at] = random.chance(0.5) ? random.below(256) : bytes[at]! ^ (1 << random.below(8));
  return bytes;
}
