import { define, itemType, method, type Overload } from '../cel-function.ts';
import { BOOL, type CelType, DYN, listOf, optionalOf } from '../cel-type.ts';
import {
  CelList,
  type CelValue,
  Duration,
  EvaluationError,
  isMap,
  OptionalValue,
  Timestamp,
  Unsigned,
} from '../cel-value.ts';
import type { Budget } from '../expression.ts';
import { noOverload } from './standard-functions.ts';

/** The type inside an optional type; `dyn` may be optional. */
export function optionalItem(type: CelType | undefined): CelType | undefined {
  if (type?.kind === 'optional') return type.item;
  return type?.kind === 'dyn' ? DYN : undefined;
}

/** Whether a value is the zero of its type: empty, false, 0 or null. */
function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0 || value === 0n || value === '') return true;
  if (value instanceof CelList || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Unsigned) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp || value instanceof OptionalValue) return false;
  return typeof value === 'object' && isMap(value) && value.size === 0;
}

function optional(value: CelValue): OptionalValue {
  if (!(value instanceof OptionalValue)) throw noOverload();
  return value;
}

function held(value: CelValue): CelValue {
  const inner = optional(value).value;
  if (inner === undefined) throw new EvaluationError('optional.none() dereference');
  return inner;
}

function unwrapped(list: CelValue): CelList {
  if (!(list instanceof CelList)) throw noOverload();
  const items: CelValue[] = [];
  for (const item of list) {
    if (!(item instanceof OptionalValue)) throw new EvaluationError(`value ${String(item)} is not optional`);
    if (item.value !== undefined) items.push(item.value);
  }
  return new CelList(items);
}

function end(list: CelValue, at: (length: number) => number): OptionalValue {
  if (!(list instanceof CelList)) throw noOverload();
  return list.length === 0 ? OptionalValue.none : OptionalValue.of(list.at(at(list.length)));
}

type Answer = (type: CelType) => CelType | undefined;

/** A function of one value. The type of the value decides the type of the result. */
function ofOne(
  name: string,
  answer: Answer,
  run: (value: CelValue) => CelValue,
  form: typeof define | typeof method,
): Overload {
  return {
    ...form(name, [DYN], DYN, run),
    check: ([type, ...more]) => (type === undefined || more.length > 0 ? undefined : answer(type)),
  };
}

const isOptional: Answer = (type) => optionalItem(type);
const listOfOptionals: Answer = (type) => {
  const item = itemType(type);
  const inner = item && optionalItem(item);
  return inner && listOf(inner);
};
const optionalEnd: Answer = (type) => {
  const item = itemType(type);
  return item && optionalOf(item);
};

const chargeItems = {
  charge: (budget: Budget, list: CelValue) => budget.charge(1 + (list instanceof CelList ? list.length : 0)),
};

/**
 * Functions of optional values. The argument of `or` and `orValue` runs only if it is needed: see optional-nodes.ts.
 */
export const optionalFunctions: readonly Overload[] = [
  ofOne('optional.of', optionalOf, (value) => OptionalValue.of(value), define),
  ofOne(
    'optional.ofNonZeroValue',
    optionalOf,
    (value) => (isZero(value) ? OptionalValue.none : OptionalValue.of(value)),
    define,
  ),
  define('optional.none', [], optionalOf(DYN), () => OptionalValue.none),
  ofOne('value', isOptional, held, method),
  ofOne(
    'hasValue',
    (type) => isOptional(type) && BOOL,
    (value) => optional(value).value !== undefined,
    method,
  ),
  { ...ofOne('optional.unwrap', listOfOptionals, unwrapped, define), ...chargeItems },
  { ...ofOne('unwrapOpt', listOfOptionals, unwrapped, method), ...chargeItems },
  ofOne('first', optionalEnd, (list) => end(list, () => 0), method),
  ofOne('last', optionalEnd, (list) => end(list, (length) => length - 1), method),
];
