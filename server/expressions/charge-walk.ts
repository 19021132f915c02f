import { CelList, type CelValue, isMap } from './cel-value.ts';
import type { Budget } from './expression.ts';

const KEY_COST = 4;

/** Charges a walk over a value and all its parts during the walk. The walk ends when the budget is used up. */
export function chargeWalk(budget: Budget, value: CelValue): void {
  if (typeof value === 'string' || value instanceof Uint8Array) budget.chargeText(value.length);
  else if (value instanceof CelList) {
    // Items of sets and maps are found by texts that are made from them.
    budget.charge(1 + (value.keyOf === undefined ? 0 : value.length * KEY_COST));
    for (const item of value) chargeWalk(budget, item);
  } else if (typeof value === 'object' && value !== null && isMap(value)) {
    budget.charge(1 + value.size);
    for (const key of value.keys()) chargeWalk(budget, value.get(key) ?? null);
  } else budget.charge(1);
}

/** Charges a comparison of two values. It walks over both, but only as far as the shorter one reaches. */
export function chargeComparison(budget: Budget, a: CelValue, b: CelValue): void {
  if (typeof a === 'object' && a !== null) {
    const different = a instanceof CelList && b instanceof CelList && a.length !== b.length;
    if (different || typeof b !== 'object') budget.charge(1);
    else chargeWalk(budget, a);
    if (a instanceof CelList && a.keyOf !== undefined && b instanceof CelList) budget.charge(b.length * KEY_COST);
  } else if (typeof a === 'string' && typeof b === 'string') budget.chargeText(Math.min(a.length, b.length));
  else budget.charge(1);
}
