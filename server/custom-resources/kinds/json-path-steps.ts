import { isObject, JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import type { CheckWork } from '../schema/check-work.ts';

/** Called with each value at the end of the steps; returns true to stop. */
type Found = (value: JsonValue) => boolean;

/** Visits values below a value, one after the other, until `found` accepts one. Returns whether it accepted one. */
export type Step = (value: JsonValue, work: CheckWork, found: Found) => boolean;

/** A side of a comparison: a value, or the first value at a path. */
export type Operand = (value: JsonValue, work: CheckWork) => JsonValue | undefined;

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** The number of characters of a text that cost about as much as a step. */
const CHARACTERS_A_STEP = 64;

/**
 * Follows steps, depth first, from the step with index `at`. Returns whether one value was enough.
 * @throws OverWorkError if the remaining `work` is not enough
 */
export function along(steps: readonly Step[], value: JsonValue, work: CheckWork, found: Found, at = 0): boolean {
  work.charge(1);
  const step = steps[at];
  return step === undefined ? found(value) : step(value, work, (next) => along(steps, next, work, found, at + 1));
}

export const children: Step = (value, work, found) => {
  if (Array.isArray(value)) return value.some(found);
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  work.charge(names.length);
  return names.some((name) => found(value[name]!));
};

export const everything: Step = (value, work, found) => {
  work.charge(1);
  return found(value) || children(value, work, (child) => everything(child, work, found));
};

export function members(names: readonly string[]): Step {
  return (value, work, found) => {
    work.charge(names.length);
    return isObject(value) && names.some((name) => Object.hasOwn(value, name) && found(value[name]!));
  };
}

/** The items at some indexes. An index below 0 counts from the end. */
export function itemsAt(indexes: readonly number[]): Step {
  return (value, work, found) => {
    work.charge(indexes.length);
    if (!Array.isArray(value)) return false;
    return indexes.some((index) => {
      const item = value.at(index);
      return item !== undefined && found(item);
    });
  };
}

/** The items from `from` up to `to`, with a distance of `by` between them. An index below 0 counts from the end. */
export function slice(from: number, to: number | undefined, by: number): Step {
  return (value, _work, found) => {
    if (!Array.isArray(value)) return false;
    const place = (index: number) => (index < 0 ? Math.max(value.length + index, 0) : Math.min(index, value.length));
    const end = place(to ?? value.length);
    for (let i = place(from); i < end; i += by) if (found(value[i]!)) return true;
    return false;
  };
}

/**
 * The items of a list for which a comparison is true. Without a comparison, they are the items that have a value at the
 * path of the operand.
 */
export function filter(left: Operand, comparison?: Comparison, right?: Operand): Step {
  return (value, work, found) => {
    if (!Array.isArray(value)) return false;
    const keeps = (item: JsonValue): boolean => {
      work.charge(1);
      const a = left(item, work);
      if (a === undefined || comparison === undefined || right === undefined) return a !== undefined;
      const b = right(item, work);
      return b !== undefined && holds(comparable(a, work), comparison, comparable(b, work));
    };
    return value.some((item) => keeps(item) && found(item));
  };
}

function holds(left: string | number | boolean, comparison: Comparison, right: string | number | boolean): boolean {
  if (typeof left !== typeof right) return comparison === '!=';
  switch (comparison) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

function comparable(value: JsonValue, work: CheckWork): string | number | boolean {
  if (value instanceof JsonNumber) return Number(value);
  if (typeof value !== 'object') return value;
  chargeText(value, work);
  return JSON.stringify(value);
}

/**
 * Charges the cost of a value's JSON text.
 * @throws OverWorkError if the remaining `work` is not enough
 */
export function chargeText(value: JsonValue, work: CheckWork): void {
  work.charge(1);
  if (typeof value === 'string') work.charge(Math.ceil(value.length / CHARACTERS_A_STEP));
  else if (Array.isArray(value)) for (const item of value) chargeText(item, work);
  else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      work.charge(1 + Math.ceil(name.length / CHARACTERS_A_STEP));
      chargeText(value[name]!, work);
    }
  }
}
