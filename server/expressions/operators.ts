import { type Entry, inForce, since, until } from '#base/release/in-force.ts';
import type { Release } from '#base/release/release.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  fits,
  fitsBeside,
  INT,
  join,
  STRING,
  TIMESTAMP,
  UINT,
} from './cel-type.ts';
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
import { chargeComparison, chargeWalk } from './charge-walk.ts';
import type { Budget } from './expression.ts';
import { checkedInt, checkedUint, noOverload } from './libraries/standard-functions.ts';
import { estimatedSize, MOST, type Operand, type Size, STRING_FACTOR, sumOf, walkOf } from './sizes.ts';
import { checkedMoment, checkedSpan } from './time-values.ts';

/** The implementation of an operator for two values, and the types that it accepts. */
export interface Operator {
  /** The type of the result; undefined if the operator does not accept such values. */
  check(left: CelType, right: CelType): CelType | undefined;
  run(left: CelValue, right: CelValue): CelValue;
  /** The estimated cost, like that of functions; 1 if it is left out. */
  readonly estimate?: (left: Operand, right: Operand) => number;
  readonly size?: (left: Operand, right: Operand) => Size | undefined;
  readonly charge?: (budget: Budget, left: CelValue, right: CelValue) => void;
}

type Exact = readonly (readonly [CelType, CelType, CelType])[];

/** Looks up types in a table. `dyn` uses the first row that may fit. */
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
const ORDERED: readonly Entry<Exact>[] = [
  [...NUMBERS, BOOL, STRING, BYTES, TIMESTAMP, DURATION].map((type) => [type, type, BOOL] as const),
  since(
    '1.28',
    NUMBERS.flatMap((a) => NUMBERS.filter((b) => b !== a).map((b) => [a, b, BOOL] as const)),
  ),
];

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

/** The sum of two values, or their concatenation. */
export function add(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(a + b);
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (a instanceof Unsigned && b instanceof Unsigned) return checkedUint(a.value + b.value);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.concat([a, b]);
  if (a instanceof CelList && b instanceof CelList) return a.plus(b);
  if (a instanceof Duration) {
    if (b instanceof Duration) return new Duration(checkedSpan(a.nanos + b.nanos));
    if (b instanceof Timestamp) return new Timestamp(checkedMoment(a.nanos + b.nanos), b.offset);
  }
  if (a instanceof Timestamp && b instanceof Duration) {
    return new Timestamp(checkedMoment(a.nanos + b.nanos), a.offset);
  }
  throw noOverload();
}

function subtract(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(a - b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a instanceof Unsigned && b instanceof Unsigned) return checkedUint(a.value - b.value);
  if (a instanceof Duration && b instanceof Duration) return new Duration(checkedSpan(a.nanos - b.nanos));
  if (a instanceof Timestamp) {
    if (b instanceof Timestamp) return new Duration(checkedSpan(a.nanos - b.nanos));
    if (b instanceof Duration) return new Timestamp(checkedMoment(a.nanos - b.nanos), a.offset);
  }
  throw noOverload();
}

/** An operator of two numbers of one type. */
function arithmetic(
  whole: (a: bigint, b: bigint) => bigint,
  real: ((a: number, b: number) => number) | undefined,
): (a: CelValue, b: CelValue) => CelValue {
  return (a, b) => {
    if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(whole(a, b));
    if (a instanceof Unsigned && b instanceof Unsigned) return checkedUint(whole(a.value, b.value));
    if (real !== undefined && typeof a === 'number' && typeof b === 'number') return real(a, b);
    throw noOverload();
  };
}

/** The remainder. That of the smallest number by -1 is an error, because the quotient does not fit. */
function remainder(a: bigint, b: bigint): bigint {
  checkedInt(b === -1n ? a / b : 0n);
  return a % b;
}

function notZero(what: string, divide: (a: bigint, b: bigint) => bigint) {
  return (a: bigint, b: bigint) => {
    if (b === 0n) throw new EvaluationError(`${what} by zero`);
    return divide(a, b);
  };
}

function ordering(release: Release, holds: (order: number) => boolean): Operator {
  const ordersAll = !release.atLeast(26);
  return {
    check: byTable(inForce(release, ORDERED).flat()),
    run: (a, b) => {
      const order = compare(a, b);
      if (order === undefined) throw noOverload();
      if (!(Number.isNaN(a) || Number.isNaN(b))) return holds(order);
      if (ordersAll) return false;
      throw new EvaluationError('NaN values cannot be ordered');
    },
    estimate: estimateOrder,
    charge: chargeComparison,
  };
}

/** The estimated cost of comparing library values. */
const COMPARED: ReadonlyMap<string, number> = new Map([
  ...['quantity', 'ip', 'cidr', 'semver'].map((kind): [string, number] => [kind, 1]),
  ['format', 7],
]);

const isEither = ({ type }: Operand, ...kinds: string[]) => type.kind === 'dyn' || kinds.includes(type.kind);

/**
 * The estimate of a comparison: a walk over a tenth of the shorter value. Library values without a size have fixed
 * costs.
 */
function estimateComparison(left: Operand, right: Operand): number {
  const compared = COMPARED.get(left.type.kind);
  if (compared !== undefined && right.type.kind === left.type.kind) return compared;
  const most = Math.min(estimatedSize(left).most, estimatedSize(right).most);
  return Math.min(Math.ceil(most * STRING_FACTOR), MOST);
}

function estimateOrder(left: Operand, right: Operand): number {
  const text = isEither(left, 'string', 'bytes') && isEither(right, 'string', 'bytes');
  const other = left.type.kind !== 'string' && left.type.kind !== 'bytes';
  return Math.max(text ? estimateComparison(left, right) : 1, other ? 1 : 0);
}

/** Later estimates know the length of URLs. It is the length of the texts from which they were made. */
function estimateEquality(left: Operand, right: Operand): number {
  if (left.type.kind !== 'url' || right.type.kind !== 'url') return estimateComparison(left, right);
  return walkOf(right.known ?? { least: 1, most: 1 });
}

const EQUALITIES: readonly Entry<Pick<Operator, 'estimate'>>[] = [
  until('1.26', { estimate: estimateComparison }),
  since('1.26', { estimate: estimateEquality }),
];

const isText = (left: Operand, right: Operand) =>
  isEither(left, 'string', 'bytes') && isEither(right, 'string', 'bytes');

function estimateSum(left: Operand, right: Operand): number {
  const walk = isText(left, right) ? walkOf(sumOf(estimatedSize(left), estimatedSize(right))) : 1;
  return Math.max(walk, left.type.kind === 'string' || left.type.kind === 'bytes' ? 0 : 1);
}

function sizeOfSum(left: Operand, right: Operand): Size | undefined {
  const isSized = isText(left, right) || (isEither(left, 'list') && isEither(right, 'list'));
  return isSized ? sumOf(estimatedSize(left), estimatedSize(right)) : undefined;
}

const lengthOf = (value: CelValue) =>
  typeof value === 'string' || value instanceof Uint8Array || value instanceof CelList ? value.length : 0;

function chargeSum(budget: Budget, left: CelValue, right: CelValue): void {
  if (!(left instanceof CelList && right instanceof CelList)) budget.chargeText(lengthOf(left) + lengthOf(right));
  else if (left.keyOf === undefined) budget.charge(1 + left.length + right.length);
  else {
    chargeWalk(budget, left);
    chargeWalk(budget, right);
  }
}

/** The estimate counts the items of a list, but not the values inside them. */
function estimateIn(_value: Operand, container: Operand): number {
  const isList = isEither(container, 'list');
  return Math.max(isList ? estimatedSize(container).most : 0, container.type.kind === 'list' ? 0 : 1);
}

/** Charges the search for a value in a list or map. */
export function chargeIn(budget: Budget, value: CelValue, container: CelValue): void {
  if (!(container instanceof CelList)) budget.charge(1);
  else if (typeof value === 'object' && value !== null) chargeWalk(budget, container);
  else {
    const each = 1 + Math.floor(lengthOf(value) * STRING_FACTOR);
    budget.charge(1 + container.length * each);
  }
}

/** Whether a list contains an item, or a map contains a key. */
export function isIn(value: CelValue, container: CelValue): boolean {
  if (container instanceof CelList) {
    for (const item of container) if (equal(item, value)) return true;
    return false;
  }
  if (typeof container === 'object' && container !== null && isMap(container))
    return container.get(value) !== undefined;
  throw noOverload();
}

function inTypes(left: CelType, right: CelType): CelType | undefined {
  if (right.kind === 'dyn') return BOOL;
  if (right.kind === 'list') return fits(left, right.item) ? BOOL : undefined;
  return right.kind === 'map' && fits(left, right.key) ? BOOL : undefined;
}

/**
 * Checks that both types are the same. Null may be compared with types that can be null, but only as the right operand.
 */
const sameTypes: Operator['check'] = (left, right) => (fitsBeside(right, left) ? BOOL : undefined);

const OPERATORS: readonly (readonly [string, Operator])[] = [
  ['+', { check: addTypes, run: add, estimate: estimateSum, size: sizeOfSum, charge: chargeSum }],
  ['-', { check: byTable(TAKEN), run: subtract }],
  [
    '*',
    {
      check: byTable(sameNumbers),
      run: arithmetic(
        (a, b) => a * b,
        (a, b) => a * b,
      ),
    },
  ],
  [
    '/',
    {
      check: byTable(sameNumbers),
      run: arithmetic(
        notZero('division', (a, b) => a / b),
        (a, b) => a / b,
      ),
    },
  ],
  [
    '%',
    {
      check: byTable(sameNumbers.slice(0, 2)),
      run: arithmetic(notZero('modulus', remainder), undefined),
    },
  ],
  ['in', { check: inTypes, run: isIn, estimate: estimateIn, charge: chargeIn }],
];

const ORDERINGS: readonly (readonly [string, (order: number) => boolean])[] = [
  ['<', (order) => order < 0],
  ['<=', (order) => order <= 0],
  ['>', (order) => order > 0],
  ['>=', (order) => order >= 0],
];

/** The operators with two operands, except those that may skip the evaluation of one. */
export function operatorsOf(release: Release): ReadonlyMap<string, Operator> {
  const orderings = ORDERINGS.map(([sign, holds]): [string, Operator] => [sign, ordering(release, holds)]);
  const equality = { check: sameTypes, charge: chargeComparison, ...inForce(release, EQUALITIES)[0] };
  return new Map<string, Operator>([
    ...OPERATORS,
    ...orderings,
    ['==', { ...equality, run: equal }],
    ['!=', { ...equality, run: (a, b) => !equal(a, b) }],
  ]);
}

/**
 * A value as a boolean.
 * @throws EvaluationError for another value
 */
export function isTrue(value: CelValue): boolean {
  if (typeof value !== 'boolean') throw noOverload();
  return value;
}
