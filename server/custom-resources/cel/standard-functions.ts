import { characters } from '../schema/validate-value.ts';
import { define, matchText, method, type Overload, STRING_FACTOR, same, textTest, walkText } from './cel-function.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
  URL_TYPE,
} from './cel-type.ts';
import {
  CelList,
  type CelValue,
  Duration,
  EvaluationError,
  isMap,
  sizeOf,
  Timestamp,
  TypeValue,
  typeNameOf,
  Unsigned,
} from './cel-value.ts';
import { matchesPattern } from './pattern-functions.ts';
import { durationOf, durationText, partsOf, timestampOf, timestampText } from './time-values.ts';

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

/** An integer of 64 bits, or the error that it is none. */
export function checkedInt(value: bigint): bigint {
  if (value < MIN_INT || value > MAX_INT) throw new EvaluationError('integer overflow');
  return value;
}

/** An unsigned integer of 64 bits, or the error that it is none. */
export function checkedUint(value: bigint): Unsigned {
  if (value < 0n || value > MAX_UINT) throw new EvaluationError('unsigned integer overflow');
  return new Unsigned(value);
}

function conversionError(value: CelValue, to: string): EvaluationError {
  return new EvaluationError(`type conversion error from '${typeNameOf(value)}' to '${to}'`);
}

function fromDouble(value: number, checked: (whole: bigint) => CelValue, name: string): CelValue {
  if (!Number.isFinite(value)) throw new EvaluationError(`${name} overflow`);
  return checked(BigInt(Math.trunc(value)));
}

function toInt(value: CelValue): CelValue {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return fromDouble(value, checkedInt, 'integer');
  if (value instanceof Unsigned) return checkedInt(value.value);
  if (value instanceof Timestamp) return (value.nanos - (((value.nanos % SECOND) + SECOND) % SECOND)) / SECOND;
  if (value instanceof Duration) return value.nanos;
  if (typeof value === 'string' && /^[+-]?[0-9]{1,20}$/.test(value)) return checkedInt(BigInt(value.replace('+', '')));
  throw conversionError(value, 'int');
}

const SECOND = 1_000_000_000n;

function toUint(value: CelValue): CelValue {
  if (value instanceof Unsigned) return value;
  if (typeof value === 'bigint') return checkedUint(value);
  if (typeof value === 'number') return fromDouble(value, checkedUint, 'unsigned integer');
  if (typeof value === 'string' && /^[0-9]{1,20}$/.test(value)) return checkedUint(BigInt(value));
  throw conversionError(value, 'uint');
}

function toDouble(value: CelValue): CelValue {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Unsigned) return Number(value.value);
  if (typeof value === 'string' && /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(value))
    return Number(value);
  throw conversionError(value, 'double');
}

function toText(value: CelValue): CelValue {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (value instanceof Unsigned) return String(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof URL) return value.href;
  if (!(value instanceof Uint8Array)) throw conversionError(value, 'string');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function toBool(value: CelValue): CelValue {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(value)) return true;
  if (typeof value === 'string' && ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(value)) return false;
  throw conversionError(value, 'bool');
}

function toTimestamp(value: CelValue): CelValue {
  if (value instanceof Timestamp) return value;
  if (typeof value === 'bigint') return new Timestamp(value * SECOND);
  if (typeof value === 'string') return timestampOf(value);
  throw conversionError(value, 'google.protobuf.Timestamp');
}

function toDuration(value: CelValue): CelValue {
  if (value instanceof Duration) return value;
  if (typeof value === 'bigint') return new Duration(value);
  if (typeof value === 'string') return durationOf(value);
  throw conversionError(value, 'google.protobuf.Duration');
}

/** A conversion from any of some types. */
function conversion(
  name: string,
  from: readonly CelType[],
  to: CelType,
  run: (value: CelValue) => CelValue,
): Overload[] {
  return from.map((type) =>
    define(name, [type], to, run, { cost: (size = 0) => 1 + size * STRING_FACTOR, size: same }),
  );
}

function size(value: CelValue): bigint {
  return BigInt(typeof value === 'string' ? characters(value) : sizeOf(value));
}

function sizeOverloads(isMethod: boolean): Overload {
  return {
    name: 'size',
    isMethod,
    check: ([type, ...more]) =>
      more.length === 0 && ['string', 'bytes', 'list', 'map', 'dyn'].includes(type?.kind ?? '') ? INT : undefined,
    run: (value: CelValue) => {
      const sized = typeof value === 'string' || value instanceof Uint8Array || value instanceof CelList;
      if (!sized && !(typeof value === 'object' && value !== null && isMap(value))) throw noOverload('size');
      return size(value);
    },
  };
}

/** An operator or function met a value that it cannot take: only seen where types are not known before. */
export function noOverload(name: string): EvaluationError {
  return new EvaluationError(`no such overload: ${name}`);
}

/** The parts of a moment, counted as the language does, with and without a time zone. */
const PARTS: readonly [string, (date: Date) => number][] = [
  ['getFullYear', (date) => date.getUTCFullYear()],
  ['getMonth', (date) => date.getUTCMonth()],
  ['getDate', (date) => date.getUTCDate()],
  ['getDayOfMonth', (date) => date.getUTCDate() - 1],
  ['getDayOfWeek', (date) => date.getUTCDay()],
  ['getDayOfYear', (date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0)) / 86_400_000)],
  ['getHours', (date) => date.getUTCHours()],
  ['getMinutes', (date) => date.getUTCMinutes()],
  ['getSeconds', (date) => date.getUTCSeconds()],
  ['getMilliseconds', (date) => date.getUTCMilliseconds()],
];

function partOverloads(): Overload[] {
  return PARTS.flatMap(([name, part]) => [
    method(name, [TIMESTAMP], INT, (moment: Timestamp) => BigInt(part(partsOf(moment, undefined)))),
    method(name, [TIMESTAMP, STRING], INT, (moment: Timestamp, zone: string) => BigInt(part(partsOf(moment, zone))), {
      cost: () => 100,
    }),
  ]);
}

const SPANS: readonly [string, bigint][] = [
  ['getHours', 3600n * SECOND],
  ['getMinutes', 60n * SECOND],
  ['getSeconds', SECOND],
  ['getMilliseconds', 1_000_000n],
];

/** The functions of the language itself. Operators are in `operators.ts`. */
export const standardFunctions: readonly Overload[] = [
  sizeOverloads(false),
  sizeOverloads(true),
  textTest('startsWith', (text, start) => text.startsWith(start)),
  textTest('endsWith', (text, end) => text.endsWith(end)),
  method('contains', [STRING, STRING], BOOL, (text: string, part: string) => text.includes(part), {
    cost: (a = 0, b = 0) => 1 + Math.ceil(a * STRING_FACTOR) * Math.max(Math.ceil(b * STRING_FACTOR), 1),
  }),
  method('matches', [STRING, STRING], BOOL, matchesPattern, { cost: matchText }),
  define('matches', [STRING, STRING], BOOL, matchesPattern, { cost: matchText }),
  ...conversion('int', [INT, UINT, DOUBLE, STRING, TIMESTAMP, DURATION], INT, toInt),
  ...conversion('uint', [UINT, INT, DOUBLE, STRING], UINT, toUint),
  ...conversion('double', [DOUBLE, INT, UINT, STRING], DOUBLE, toDouble),
  ...conversion('string', [STRING, INT, UINT, DOUBLE, BOOL, BYTES, TIMESTAMP, DURATION, URL_TYPE], STRING, toText),
  ...conversion('bytes', [BYTES, STRING], BYTES, (value) => (typeof value === 'string' ? Buffer.from(value) : value)),
  ...conversion('bool', [BOOL, STRING], BOOL, toBool),
  ...conversion('timestamp', [TIMESTAMP, STRING, INT], TIMESTAMP, toTimestamp),
  ...conversion('duration', [DURATION, STRING, INT], DURATION, toDuration),
  define('dyn', [DYN], DYN, (value: CelValue) => value, { size: same }),
  define('type', [DYN], TYPE, (value: CelValue) => new TypeValue(typeNameOf(value))),
  ...partOverloads(),
  ...SPANS.map(([name, unit]) =>
    method(name, [DURATION], INT, ({ nanos }: Duration) =>
      // of milliseconds, only those beyond whole seconds count
      name === 'getMilliseconds' ? (nanos % SECOND) / unit : nanos / unit,
    ),
  ),
  // kept so that a walk over a text is charged as one
  method('lowerAscii', [STRING], STRING, (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase()), {
    cost: walkText,
    size: same,
  }),
  method('upperAscii', [STRING], STRING, (text: string) => text.replace(/[a-z]+/g, (part) => part.toUpperCase()), {
    cost: walkText,
    size: same,
  }),
];
