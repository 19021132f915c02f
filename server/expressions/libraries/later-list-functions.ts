import { define, itemType, method, type Overload } from '../cel-function.ts';
import { BOOL, type CelType, DYN, INT, listOf } from '../cel-type.ts';
import { CelList, type CelValue, compare, EvaluationError, equal, isMap, typeNameOf } from '../cel-value.ts';
import { chargeWalk } from '../charge-walk.ts';
import type { Budget } from '../expression.ts';
import { chargeIn, isIn } from '../operators.ts';
import { capped, estimatedSize, exactly, MOST, type Operand, type Size, STRING_FACTOR } from '../sizes.ts';
import { estimateListWalk, ORDERED } from './list-functions.ts';
import { chargeSearches } from './set-functions.ts';
import { noOverload } from './standard-functions.ts';

/** The estimated cost of a call that creates a list, in addition to the cost of the list. */
const MADE = 11;
/** The longest list that `lists.range` makes. */
const MAX_RANGE = 1_000_000n;

function slice(list: CelList, start: bigint, end: bigint): CelList {
  const range = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) throw new EvaluationError(`${range}, negative indexes not supported`);
  if (start > end) throw new EvaluationError(`${range}, start index must be less than or equal to end index`);
  if (end > BigInt(list.length)) throw new EvaluationError(`${range}, list is length ${list.length}`);
  return new CelList(Array.from({ length: Number(end - start) }, (_, i) => list.at(Number(start) + i)));
}

function flatten(list: CelList, depth = 1n): CelList {
  if (depth < 0n) throw new EvaluationError('level must be non-negative');
  const items: CelValue[] = [];
  const add = (from: CelList, left: bigint) => {
    for (const item of from) {
      if (item instanceof CelList && left > 0n) add(item, left - 1n);
      else items.push(item);
    }
  };
  add(list, depth);
  return new CelList(items);
}

/** The items in the order of their keys. All keys have one type. Items with equal keys keep their order. */
export function sortedBy(list: CelList, keys: CelList): CelList {
  if (list.length === 0) return list;
  const all = [...keys];
  const type = typeNameOf(all[0]!);
  if (all[0] instanceof CelList || isMap(all[0]!) || compare(all[0]!, all[0]!) === undefined) {
    throw new EvaluationError('list elements must be comparable');
  }
  if (all.some((key) => typeNameOf(key) !== type)) throw new EvaluationError('list elements must have the same type');
  const order = all.map((_, i) => i).sort((a, b) => compare(all[a]!, all[b]!)!);
  return new CelList(order.map((i) => list.at(i)));
}

function range(length: bigint): CelList {
  if (length < 0n) throw new EvaluationError(`lists.range: size must be non-negative, got ${length}`);
  if (length > MAX_RANGE) {
    throw new EvaluationError(`lists.range: size ${length} exceeds maximum allowed (${MAX_RANGE})`);
  }
  return new CelList(Array.from({ length: Number(length) }, (_, i) => BigInt(i)));
}

function reversed(list: CelList): CelList {
  return new CelList([...list].reverse());
}

function distinct(list: CelList): CelList {
  const items: CelValue[] = [];
  for (const item of list) if (!items.some((other) => equal(other, item))) items.push(item);
  return new CelList(items);
}

/** Whether a value includes another one. A value that is not a list includes the values that equal it. */
function includes(value: CelValue, what: CelValue): boolean {
  return value instanceof CelList ? isIn(what, value) : equal(value, what);
}

function chargeRounds(budget: Budget, list: CelList): void {
  for (let length = 1; length <= list.length; length *= 2) chargeWalk(budget, list);
}

/** The value of an integer literal; `otherwise` if the expression is not one. */
function spelt(operand: Operand | undefined, otherwise: number): number {
  const value = operand?.constant?.value;
  return typeof value === 'bigint' ? Number(value > 0n ? value : 0n) : otherwise;
}

const squared = ({ least, most }: Size): Size => ({ least: capped(least * least), most: capped(most * most) });
const sizeOf = (list?: Operand): Size => estimatedSize(list!);
const madeOf = ({ most }: Size, factor = 1) => capped(Math.ceil(most * factor) + MADE);

/** The estimated costs of sorting. Each item is compared with each other item. */
export const sortCosts = {
  estimate: (list: Operand, item: CelType) => {
    const isText = ['string', 'bytes', 'dyn'].includes(item.kind);
    return madeOf(squared(sizeOf(list)), 2 + (isText ? STRING_FACTOR : 0));
  },
  size: (list: Operand) => squared(sizeOf(list)),
  charge: chargeRounds,
};

/** Whether values of a type have an order. */
export function isOrdered({ kind }: CelType): boolean {
  return ORDERED.has(kind);
}

/** A method of a list that takes further arguments and returns a list with items of the same type. */
function sameItems(
  name: string,
  more: readonly CelType[],
  run: (list: CelList, ...more: never[]) => CelValue,
  costs: Partial<Overload>,
  answer: (item: CelType) => CelType | undefined = (item) => listOf(item),
): Overload {
  const overload = method(name, [DYN, ...more], DYN, (list: CelValue, ...rest: CelValue[]) => {
    if (!(list instanceof CelList)) throw noOverload(`: ${name}`);
    return run(list, ...(rest as never[]));
  });
  return {
    ...overload,
    check: (types) => {
      const item = itemType(types[0]);
      return item === undefined || overload.check(types) === undefined ? undefined : answer(item);
    },
    ...costs,
  };
}

const itself = (budget: Budget, list: CelList) => budget.charge(1 + list.length);
const flattenCosts: Partial<Overload> = {
  estimate: (list, depth) => madeOf(sizeOf(list), depth === undefined ? 1 : spelt(depth, MOST)),
  size: sizeOf,
  charge: (budget, list: CelList) => chargeWalk(budget, list),
};

/** The type of a flattened list of lists. Items that are not lists stay. */
const flattened = (item: CelType) => {
  const inner = itemType(item);
  return inner === undefined ? undefined : listOf(inner);
};

/** Functions of lists since release 1.34. */
export const laterListFunctions: readonly Overload[] = [
  sameItems('slice', [INT, INT], slice as (list: CelList, ...more: never[]) => CelValue, {
    estimate: (list, start, end) => madeOf(sliceSize(list, start, end)),
    size: sliceSize,
    charge: (budget, _list: CelList, start: bigint, end: bigint) => budget.charge(1 + Math.max(Number(end - start), 0)),
  }),
  sameItems('flatten', [], flatten, flattenCosts, flattened),
  sameItems('flatten', [INT], flatten as (list: CelList, ...more: never[]) => CelValue, flattenCosts, () =>
    listOf(DYN),
  ),
  sameItems(
    'sort',
    [],
    (list) => sortedBy(list, list),
    {
      estimate: (list) => sortCosts.estimate(list!, itemType(list!.type) ?? DYN),
      size: sortCosts.size,
      charge: chargeRounds,
    },
    (item) => (isOrdered(item) ? listOf(item) : undefined),
  ),
  define('lists.range', [INT], listOf(INT), range, {
    estimate: (length) => madeOf(exactly(spelt(length, MOST))),
    size: (length) => exactly(spelt(length, MOST)),
    charge: (budget, length: bigint) => budget.charge(1 + Math.max(Number(length > MAX_RANGE ? 0n : length), 0)),
  }),
  sameItems('reverse', [], reversed, { estimate: (list) => madeOf(sizeOf(list)), size: sizeOf, charge: itself }),
  sameItems('distinct', [], distinct, {
    estimate: (list) => madeOf(squared(sizeOf(list)), 2),
    size: (list) => squared(sizeOf(list)),
    charge: (budget, list: CelList) => chargeSearches(budget, list, list),
  }),
];

function sliceSize(list?: Operand, start?: Operand, end?: Operand): Size {
  const length = spelt(end, sizeOf(list).most) - spelt(start, 0);
  return exactly(length < 0 ? MOST : length);
}

const isSized = ({ kind }: CelType) => kind === 'list' || kind === 'map';

/** Functions since release 1.37. */
export const includesFunction: Overload = method('includes', [DYN, DYN], BOOL, includes, {
  estimate: (list) => (isSized(list!.type) ? estimateListWalk(list) : sizeOf(list).most),
  charge: (budget, list: CelValue, what: CelValue) => {
    if (list instanceof CelList) chargeIn(budget, what, list);
    else chargeWalk(budget, list);
  },
});
