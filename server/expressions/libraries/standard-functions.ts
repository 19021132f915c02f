import { type Entry, since, until } from '#base/release/in-force.ts';
import { type Costs, define, method, type Overload, sameSize, textTest } from '../cel-function.ts';
import { BOOL, BYTES, type CelType, DOUBLE, DURATION, DYN, INT, STRING, TIMESTAMP, TYPE, UINT } from '../cel-type.ts';
import {
  CelList,
  type CelMap,
  type CelValue,
  Duration,
  EvaluationError,
  isMap,
  Timestamp,
  TypeValue,
  typeNameOf,
  Unsigned,
} from '../cel-value.ts';
import type { Budget } from '../expression.ts';
import { doubleOf, doubleText } from '../number-texts.ts';
import { capped, estimatedSize, type Operand, type Size, walkOf } from '../sizes.ts';
import { characters } from '../texts/characters.ts';
import {
  checkedMoment,
  durationOf,
  durationText,
  partsOf,
  timestampOf,
  timestampText,
  wholeUnits,
} from '../time-values.ts';
import { matchesFunction } from './pattern-functions.ts';

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

/** A 64-bit integer, or the error that the value does not fit. */
export function checkedInt(value: bigint): bigint {
  if (value < MIN_INT || value > MAX_INT) throw new EvaluationError('integer overflow');
  return value;
}

/** An unsigned 64-bit integer, or the error that the value does not fit. */
export function checkedUint(value: bigint): Unsigned {
  if (value < 0n || value > MAX_UINT) throw new EvaluationError('unsigned integer overflow');
  return new Unsigned(value);
}

function conversionError(value: CelValue, to: string): EvaluationError {
  return new EvaluationError(`type conversion error from '${typeNameOf(value)}' to '${to}'`);
}

/** The whole part of a double, which must be larger than `least`. */
function wholeOf(value: number, least: number, name: string): bigint {
  if (!Number.isFinite(value) || value <= least) throw new EvaluationError(`${name} overflow`);
  return BigInt(Math.trunc(value));
}

function toInt(value: CelValue): CelValue {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return checkedInt(wholeOf(value, -(2 ** 63), 'integer'));
  if (value instanceof Unsigned) return checkedInt(value.value);
  if (value instanceof Timestamp) return wholeUnits(value.nanos, SECOND);
  if (value instanceof Duration) return value.nanos;
  if (typeof value === 'string' && /^[+-]?[0-9]{1,100}$/.test(value)) {
    const whole = BigInt(value.replace('+', ''));
    if (whole >= MIN_INT && whole <= MAX_INT) return whole;
  }
  throw conversionError(value, 'int');
}

const SECOND = 1_000_000_000n;

function toUint(value: CelValue): CelValue {
  if (value instanceof Unsigned) return value;
  if (typeof value === 'bigint') return checkedUint(value);
  if (typeof value === 'number') return checkedUint(wholeOf(value, -Number.MIN_VALUE, 'unsigned integer'));
  if (typeof value === 'string' && /^[0-9]{1,100}$/.test(value) && BigInt(value) <= MAX_UINT) {
    return new Unsigned(BigInt(value));
  }
  throw conversionError(value, 'uint');
}

function toDouble(value: CelValue): CelValue {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Unsigned) return Number(value.value);
  const number = typeof value === 'string' ? doubleOf(value) : undefined;
  if (number !== undefined) return number;
  throw conversionError(value, 'double');
}

function toText(value: CelValue): CelValue {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return doubleText(value);
  if (value instanceof Unsigned) return String(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
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
  if (typeof value === 'bigint') return new Timestamp(checkedMoment(value * SECOND));
  const moment = typeof value === 'string' ? timestampOf(value) : undefined;
  if (moment !== undefined) return moment;
  throw conversionError(value, 'google.protobuf.Timestamp');
}

function toDuration(value: CelValue): CelValue {
  if (value instanceof Duration) return value;
  const span = typeof value === 'string' ? durationOf(value) : undefined;
  if (span !== undefined) return span;
  throw conversionError(value, 'google.protobuf.Duration');
}

/** Names of conversions. Conversions of literals are computed when a rule is checked. */
export const conversions: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp uint'.split(' '),
);

function chargeText(budget: Budget, value: CelValue): void {
  budget.chargeText(typeof value === 'string' || value instanceof Uint8Array ? value.length : 0);
}

/** A conversion from one of several types. The estimate counts only those between texts and bytes as walks. */
function conversion(
  name: string,
  from: readonly CelType[],
  to: CelType,
  run: (value: CelValue) => CelValue,
): Entry<Overload>[] {
  return from.flatMap((type): Entry<Overload>[] => {
    const size =
      type === BYTES && to === STRING ? decodedSize : type === STRING && to === BYTES ? encodedSize : undefined;
    if (size === undefined) return [define(name, [type], to, run, { charge: chargeText })];
    const costs: Costs = { estimate: (value) => walkOf(estimatedSize(value!)), charge: chargeText };
    return [
      until('1.26', define(name, [type], to, run, costs)),
      since('1.26', define(name, [type], to, run, { ...costs, size })),
    ];
  });
}

/** The estimated size in bytes. Each character takes one to four bytes. */
function encodedSize(text?: Operand): Size {
  const { least, most } = estimatedSize(text!);
  return { least, most: capped(most * 4) };
}

function decodedSize(bytes?: Operand): Size {
  const { least, most } = estimatedSize(bytes!);
  return { least: Math.floor(least / 4), most };
}

function size(value: CelValue): bigint {
  if (typeof value === 'string') return BigInt(characters(value));
  return BigInt(value instanceof CelList || value instanceof Uint8Array ? value.length : (value as CelMap).size);
}

function sizeOverloads(isMethod: boolean): Overload {
  return {
    name: 'size',
    isMethod,
    check: ([type, ...more]) =>
      more.length === 0 && ['string', 'bytes', 'list', 'map', 'dyn'].includes(type?.kind ?? '') ? INT : undefined,
    run: (value: CelValue) => {
      const sized = typeof value === 'string' || value instanceof Uint8Array || value instanceof CelList;
      if (!sized && !(typeof value === 'object' && value !== null && isMap(value))) throw noOverload();
      return size(value);
    },
    charge: (budget, value: CelValue) => budget.chargeText(typeof value === 'string' ? value.length : 0),
  };
}

/**
 * The error that an operator or function got a value that it does not accept. It occurs only if types were unknown
 * before.
 */
export function noOverload(detail = ''): EvaluationError {
  return new EvaluationError(`no such overload${detail}`);
}

/** The parts of a moment, with and without a time zone. They are counted as in the language. */
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

/** The cost of a time zone, which comes from tables of the engine. */
const ZONE_COST = 100;

function partOverloads(): Overload[] {
  return PARTS.flatMap(([name, part]) => [
    method(name, [TIMESTAMP], INT, (moment: Timestamp) => BigInt(part(partsOf(moment, undefined)))),
    method(name, [TIMESTAMP, STRING], INT, (moment: Timestamp, zone: string) => BigInt(part(partsOf(moment, zone))), {
      charge: (budget) => budget.charge(ZONE_COST),
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
export const standardFunctions: readonly Entry<Overload>[] = [
  sizeOverloads(false),
  sizeOverloads(true),
  textTest('startsWith', (text, start) => text.startsWith(start)),
  textTest('endsWith', (text, end) => text.endsWith(end)),
  method('contains', [STRING, STRING], BOOL, (text: string, part: string) => text.includes(part), {
    estimate: (text, part) => capped(walkOf(estimatedSize(text!)) * walkOf(estimatedSize(part!))),
    charge: (budget, text: string, part: string) => {
      budget.charge(1 + Math.ceil(text.length / 10) * Math.max(Math.ceil(part.length / 10), 1));
    },
  }),
  matchesFunction,
  ...conversion('int', [INT, UINT, DOUBLE, STRING, TIMESTAMP, DURATION], INT, toInt),
  ...conversion('uint', [UINT, INT, DOUBLE, STRING], UINT, toUint),
  ...conversion('double', [DOUBLE, INT, UINT, STRING], DOUBLE, toDouble),
  ...conversion('string', [STRING, INT, UINT, DOUBLE, BOOL, BYTES, TIMESTAMP, DURATION], STRING, toText),
  ...conversion('bytes', [BYTES, STRING], BYTES, (value) => (typeof value === 'string' ? Buffer.from(value) : value)),
  ...conversion('bool', [BOOL, STRING], BOOL, toBool),
  ...conversion('timestamp', [TIMESTAMP, STRING, INT], TIMESTAMP, toTimestamp),
  ...conversion('duration', [DURATION, STRING, INT], DURATION, toDuration),
  until(
    '1.26',
    define('dyn', [DYN], DYN, (value: CelValue) => value),
  ),
  since(
    '1.26',
    define('dyn', [DYN], DYN, (value: CelValue) => value, { size: sameSize, keepsItems: true }),
  ),
  define('type', [DYN], TYPE, (value: CelValue) => new TypeValue(typeNameOf(value))),
  ...partOverloads(),
  ...SPANS.map(([name, unit]) => method(name, [DURATION], INT, ({ nanos }: Duration) => nanos / unit)),
];
