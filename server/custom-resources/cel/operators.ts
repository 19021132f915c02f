import { BOOL, BYTES, type CelType, DOUBLE, DURATION, fits, INT, join, STRING, TIMESTAMP, UINT } from './cel-type.ts';
import {
  CelList,
  type CelValue,
  compare,
  Duration,
  EvaluationError,
  equal,
  isMap,
  Timestamp,
  Unsigned,
} from './cel-value.ts';
import { checkedInt, checkedUint, noOverload } from './standard-functions.ts';
import { checkedMoment, checkedSpan } from './time-values.ts';

/** What an operator makes of two values, and of which types. */
export interface Operator {
  /** The type of the answer; undefined when the operator does not take such values. */
  check(left: CelType, right: CelType): CelType | undefined;
  run(left: CelValue, right: CelValue): CelValue;
  /** Whether values are walked to the end, so that their sizes count. */
  readonly cost: 'one' | 'shorter' | 'both' | 'right';
}

type Exact = readonly (readonly [CelType, CelType, CelType])[];

/** Looks types up in a table; `dyn` takes the first row that may fit. */
function byTable(table: Exact): Operator['check'] {
  return (left, right) => {
    const rows = table.filter(([a, b]) => fits(a, left) && fits(b, right));
    if (rows.length === 0) return undefined;
    return rows.reduce((answer, [, , each]) => join(answer, each), rows[0]![2]);
  };
}

const NUMBERS = [INT, UINT, DOUBLE];
const sameNumbers: Exact = NUMBERS.map((type) => [type, type, type]);

const ADDED: Exact = [
  ...sameNumbers,
  [STRING, STRING, STRING],
  [BYTES, BYTES, BYTES],
  [TIMESTAMP, DURATION, TIMESTAMP],
  [DURATION, TIMESTAMP, TIMESTAMP],
  [DURATION, DURATION, DURATION],
];
const TAKEN: Exact = [
  ...sameNumbers,
  [TIMESTAMP, TIMESTAMP, DURATION],
  [TIMESTAMP, DURATION, TIMESTAMP],
  [DURATION, DURATION, DURATION],
];
const ORDERED: Exact = [...NUMBERS, BOOL, STRING, BYTES, TIMESTAMP, DURATION].map((type) => [type, type, BOOL]);

function addTypes(left: CelType, right: CelType): CelType | undefined {
  if (left.kind === 'list' && right.kind === 'list') {
    return fits(left, right) ? join(left, right) : undefined;
  }
  return (
    byTable(ADDED)(left, right) ?? (left.kind === 'list' || right.kind === 'list' ? dynList(left, right) : undefined)
  );
}

function dynList(left: CelType, right: CelType): CelType | undefined {
  return left.kind === 'dyn' ? right : right.kind === 'dyn' ? left : undefined;
}

/** The sum of two values, or what both make when put together. */
export function add(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(a + b);
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (a instanceof Unsigned && b instanceof Unsigned) return checkedUint(a.value + b.value);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.concat([a, b]);
  if (a instanceof CelList && b instanceof CelList) {
    return new CelList(
      [...Array(a.length).keys()].map((i) => a.at(i)).concat([...Array(b.length).keys()].map((i) => b.at(i))),
    );
  }
  if (a instanceof Duration) {
    if (b instanceof Duration) return new Duration(checkedSpan(a.nanos + b.nanos));
    if (b instanceof Timestamp) return new Timestamp(checkedMoment(a.nanos + b.nanos));
  }
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(checkedMoment(a.nanos + b.nanos));
  throw noOverload('_+_');
}

function subtract(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(a - b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a instanceof Unsigned && b instanceof Unsigned) return checkedUint(a.value - b.value);
  if (a instanceof Duration && b instanceof Duration) return new Duration(checkedSpan(a.nanos - b.nanos));
  if (a instanceof Timestamp) {
    if (b instanceof Timestamp) return new Duration(checkedSpan(a.nanos - b.nanos));
    if (b instanceof Duration) return new Timestamp(checkedMoment(a.nanos - b.nanos));
  }
  throw noOverload('_-_');
}

/** An operator of two numbers of one type. */
function arithmetic(
  name: string,
  whole: (a: bigint, b: bigint) => bigint,
  real: ((a: number, b: number) => number) | undefined,
): (a: CelValue, b: CelValue) => CelValue {
  return (a, b) => {
    if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(whole(a, b));
    if (a instanceof Unsigned && b instanceof Unsigned) return checkedUint(whole(a.value, b.value));
    if (real !== undefined && typeof a === 'number' && typeof b === 'number') return real(a, b);
    throw noOverload(name);
  };
}

function notZero(what: string, divide: (a: bigint, b: bigint) => bigint) {
  return (a: bigint, b: bigint) => {
    if (b === 0n) throw new EvaluationError(`${what} by zero`);
    return divide(a, b);
  };
}

function ordering(name: string, holds: (order: number) => boolean): Operator {
  return {
    check: byTable(ORDERED),
    run: (a, b) => {
      const order = compare(a, b);
      if (order === undefined) throw noOverload(name);
      return Number.isNaN(a) || Number.isNaN(b) ? false : holds(order);
    },
    cost: 'shorter',
  };
}

function isIn(value: CelValue, container: CelValue): boolean {
  if (container instanceof CelList) {
    for (let i = 0; i < container.length; i++) if (equal(container.at(i), value)) return true;
    return false;
  }
  if (typeof container === 'object' && container !== null && isMap(container))
    return container.get(value) !== undefined;
  throw noOverload('@in');
}

function inTypes(left: CelType, right: CelType): CelType | undefined {
  if (right.kind === 'dyn') return BOOL;
  if (right.kind === 'list') return fits(left, right.item) ? BOOL : undefined;
  return right.kind === 'map' && fits(left, right.key) ? BOOL : undefined;
}

const sameTypes: Operator['check'] = (left, right) => (fits(left, right) ? BOOL : undefined);

/** The operators of two values, but for those that may leave out one of them. */
export const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['+', { check: addTypes, run: add, cost: 'both' }],
  ['-', { check: byTable(TAKEN), run: subtract, cost: 'one' }],
  [
    '*',
    {
      check: byTable(sameNumbers),
      run: arithmetic(
        '_*_',
        (a, b) => a * b,
        (a, b) => a * b,
      ),
      cost: 'one',
    },
  ],
  [
    '/',
    {
      check: byTable(sameNumbers),
      run: arithmetic(
        '_/_',
        notZero('division', (a, b) => a / b),
        (a, b) => a / b,
      ),
      cost: 'one',
    },
  ],
  [
    '%',
    {
      check: byTable(sameNumbers.slice(0, 2)),
      run: arithmetic(
        '_%_',
        notZero('modulus', (a, b) => a % b),
        undefined,
      ),
      cost: 'one',
    },
  ],
  ['==', { check: sameTypes, run: equal, cost: 'shorter' }],
  ['!=', { check: sameTypes, run: (a, b) => !equal(a, b), cost: 'shorter' }],
  ['<', ordering('_<_', (order) => order < 0)],
  ['<=', ordering('_<=_', (order) => order <= 0)],
  ['>', ordering('_>_', (order) => order > 0)],
  ['>=', ordering('_>=_', (order) => order >= 0)],
  ['in', { check: inTypes, run: isIn, cost: 'right' }],
]);

/** A value as a boolean. Throws an {@link EvaluationError} for any other. */
export function isTrue(value: CelValue): boolean {
  if (typeof value !== 'boolean') throw noOverload('bool');
  return value;
}
