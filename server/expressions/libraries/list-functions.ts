import { type Costs, itemType, type Overload } from '../cel-function.ts';
import { BOOL, type CelType, fits, INT } from '../cel-type.ts';
import { CelList, type CelValue, compare, Duration, EvaluationError, equal, Unsigned } from '../cel-value.ts';
import { chargeWalk } from '../charge-walk.ts';
import { add } from '../operators.ts';
import { capped, estimatedItem, estimatedSize, type Operand, walkOf } from '../sizes.ts';

export const ORDERED: ReadonlySet<string> = new Set([
  'dyn',
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'timestamp',
  'duration',
]);
const SUMMED = new Set(['dyn', 'int', 'uint', 'double', 'duration']);

function isSorted(list: CelList): boolean {
  let before: CelValue | undefined;
  for (const item of list) {
    if (before !== undefined && orderOf(before, item) > 0) return false;
    before = item;
  }
  return true;
}

function orderOf(a: CelValue, b: CelValue): number {
  const order = compare(a, b);
  if (order === undefined) throw new EvaluationError('no such overload: list items cannot be compared');
  return order;
}

function furthest(name: string, sign: number): (list: CelList) => CelValue {
  return (list) => {
    let best: CelValue | undefined;
    for (const item of list) if (best === undefined || orderOf(item, best) * sign > 0) best = item;
    if (best === undefined) throw new EvaluationError(`${name} called on empty list`);
    return best;
  };
}

function zeroOf(type: CelType): CelValue {
  if (type.kind === 'double') return 0;
  if (type.kind === 'uint') return new Unsigned(0n);
  return type.kind === 'duration' ? new Duration(0n) : 0n;
}

function indexOf(list: CelList, what: CelValue): bigint {
  for (let i = 0; i < list.length; i++) if (equal(list.at(i), what)) return BigInt(i);
  return -1n;
}

function lastIndexOf(list: CelList, what: CelValue): bigint {
  for (let i = list.length - 1; i >= 0; i--) if (equal(list.at(i), what)) return BigInt(i);
  return -1n;
}

/** The estimate counts one for each item, and a walk over the item if items are texts. */
export function estimateListWalk(list?: Operand): number {
  const size = estimatedSize(list!);
  const item = estimatedItem(list!);
  if (item === undefined) return walkOf(size);
  const isText = item.type.kind === 'string' || item.type.kind === 'bytes';
  return capped(size.most * (1 + (isText ? walkOf(estimatedSize(item)) : 0)));
}

const listWalk: Costs = { estimate: estimateListWalk, charge: chargeWalk };

/** A method of a list whose result depends on its items. */
function ofList(
  name: string,
  answer: (item: CelType, more: readonly CelType[]) => CelType | undefined,
  // biome-ignore lint/suspicious/noExplicitAny: the checker has checked the types of the arguments
  run: (...values: any[]) => CelValue,
): Overload {
  return {
    name,
    isMethod: true,
    check: ([list, ...more]) => {
      const item = itemType(list);
      return item === undefined ? undefined : answer(item, more);
    },
    run: (list, ...more) => {
      if (!(list instanceof CelList)) throw new EvaluationError(`no such overload: ${name}`);
      return run(list, ...more);
    },
    ...listWalk,
  };
}

const when = (kinds: ReadonlySet<string>, item: CelType, more: readonly CelType[]) =>
  more.length === 0 && kinds.has(item.kind);

/** Sums, by the type of the items. For an empty list the type is unknown. */
function sums(kind: string): Overload {
  const answer = (item: CelType, more: readonly CelType[]) =>
    when(SUMMED, item, more) && item.kind === kind ? item : undefined;
  return ofList('sum', answer, (list: CelList) => {
    let total = list.length === 0 ? zeroOf({ kind } as CelType) : list.at(0);
    for (let i = 1; i < list.length; i++) total = add(total, list.at(i));
    return total;
  });
}

/** Functions of lists that the language itself does not have. */
export const listFunctions: readonly Overload[] = [
  ofList('isSorted', (item, more) => (when(ORDERED, item, more) ? BOOL : undefined), isSorted),
  ofList('min', (item, more) => (when(ORDERED, item, more) ? item : undefined), furthest('min', -1)),
  ofList('max', (item, more) => (when(ORDERED, item, more) ? item : undefined), furthest('max', 1)),
  ...[...SUMMED].map(sums),
  ofList(
    'indexOf',
    (item, [what, ...more]) => (what && more.length === 0 && fits(item, what) ? INT : undefined),
    indexOf,
  ),
  ofList(
    'lastIndexOf',
    (item, [what, ...more]) => (what && more.length === 0 && fits(item, what) ? INT : undefined),
    lastIndexOf,
  ),
];
