import { define, itemType, type Overload } from '../cel-function.ts';
import { BOOL, type CelType, fits } from '../cel-type.ts';
import { CelList, type CelValue } from '../cel-value.ts';
import type { Budget } from '../expression.ts';
import { chargeIn, isIn } from '../operators.ts';
import { capped, estimatedSize } from '../sizes.ts';
import { noOverload } from './standard-functions.ts';

/** Charges the search in a list for each item of another one. */
export function chargeSearches(budget: Budget, items: CelValue, list: CelValue): void {
  if (!(items instanceof CelList)) return;
  for (const item of items) chargeIn(budget, item, list);
}

function hasAll(list: CelList, items: CelList): boolean {
  for (const item of items) if (!isIn(item, list)) return false;
  return true;
}

function intersects(list: CelList, items: CelList): boolean {
  for (const item of list) if (isIn(item, items)) return true;
  return false;
}

/** Two lists whose items can have a common type. */
function areLists([first, second, ...more]: readonly CelType[]): boolean {
  const [a, b] = [itemType(first), itemType(second)];
  return more.length === 0 && a !== undefined && b !== undefined && fits(a, b);
}

/** A function of sets. `times` says how often the estimate compares each item with each. */
function ofSets(name: string, run: (a: CelList, b: CelList) => boolean, times = 1): Overload {
  const overload = define(name, [], BOOL, (a: CelValue, b: CelValue) => {
    if (!(a instanceof CelList && b instanceof CelList)) throw noOverload(`: ${name}`);
    return run(a, b);
  });
  return {
    ...overload,
    check: (types) => (areLists(types) ? BOOL : undefined),
    estimate: (a, b) => capped(estimatedSize(a!).most * estimatedSize(b!).most * times + 1),
    charge: (budget, a: CelValue, b: CelValue) => {
      budget.charge(1);
      for (let i = 0; i < times; i++) chargeSearches(budget, a, b);
    },
  };
}

/** Functions that use lists as sets. */
export const setFunctions: readonly Overload[] = [
  ofSets('sets.contains', hasAll),
  ofSets('sets.equivalent', (a, b) => hasAll(a, b) && hasAll(b, a), 2),
  ofSets('sets.intersects', intersects),
];
