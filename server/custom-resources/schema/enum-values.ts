import type { JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import { isScalar, sameValue } from '#schema/apply/value.ts';
import type { Checks, CheckWork } from './check-work.ts';
import { itemText } from './item-text.ts';
import { isNumber, toInteger } from './numbers.ts';

/** The smallest number of values for a look-up. Shorter enums are searched value by value. */
const FEW = 16;
/** The costs of reading a value, of finding one and of comparing one, in steps of work. */
const LOOK_WORK = 5;
const INDEX_WORK = 25;
const TELL_WORK = 40;
/** The number of values between two charges. */
const PIECE = 1_000;

/** The look-up tables of enums, and their texts in messages. They are made at their first use. */
const indexes = new WeakMap<readonly JsonValue[], ReadonlySet<string>>();
const lists = new WeakMap<readonly JsonValue[], string>();

/** Looks up the values of one object in the enums of one schema. */
export class EnumChecks {
  readonly #work: CheckWork;
  /** The charged work. Each object pays the same, even for work that was already done for another object. */
  readonly #indexed = new Set<readonly JsonValue[]>();
  readonly #listed = new Set<readonly JsonValue[]>();

  constructor(work: CheckWork) {
    this.#work = work;
  }

  /**
   * Whether a value is one of an enum. Numbers are compared by value, whatever their spelling is.
   * @throws OverWorkError
   */
  *holds(values: readonly JsonValue[], value: JsonValue): Checks<boolean> {
    if (isShort(values) && isScalar(value)) return this.holdsNow(values, value);
    const work = this.#work;
    const key = keyOf(value);
    work.charge(LOOK_WORK + key.length);
    return (yield* this.#index(values)).has(key);
  }

  /** Like {@link holds}, for a single value and an enum that is {@link isShort}. */
  holdsNow(values: readonly JsonValue[], value: JsonValue): boolean {
    this.#work.charge(values.length * LOOK_WORK);
    return values.some((each) => sameValue(each, value) || sameNumber(each, value));
  }

  /**
   * The values of an enum in messages: `"a", "b"`.
   * @throws OverWorkError
   */
  *list(values: readonly JsonValue[]): Checks<string> {
    const known = lists.get(values);
    const work = this.#work;
    if (known !== undefined) {
      if (!this.#listed.has(values)) work.charge(values.length * TELL_WORK);
      this.#listed.add(values);
      return known;
    }
    this.#listed.add(values);
    let list = '';
    for (let i = 0; i < values.length; i += PIECE) {
      const texts = values
        .slice(i, i + PIECE)
        .map((value) => JSON.stringify(typeof value === 'string' ? value : stringify(value)));
      list += `${i === 0 ? '' : ', '}${texts.join(', ')}`;
      work.charge(texts.length * TELL_WORK);
      if (work.isDue) {
        yield;
        work.resumed();
      }
    }
    lists.set(values, list);
    return list;
  }

  *#index(values: readonly JsonValue[]): Checks<ReadonlySet<string>> {
    const known = indexes.get(values);
    const work = this.#work;
    if (known !== undefined) {
      if (!this.#indexed.has(values)) work.charge(values.length * INDEX_WORK);
      this.#indexed.add(values);
      return known;
    }
    this.#indexed.add(values);
    const index = new Set<string>();
    for (let i = 0; i < values.length; i += PIECE) {
      const piece = values.slice(i, i + PIECE);
      for (const value of piece) index.add(keyOf(value));
      work.charge(piece.length * INDEX_WORK);
      if (work.isDue) {
        yield;
        work.resumed();
      }
    }
    indexes.set(values, index);
    return index;
  }
}

/** Whether an enum has so few values that a search through all of them is fast. */
export function isShort(values: readonly JsonValue[]): boolean {
  return values.length <= FEW;
}

/** Values in the form of messages. */
export function listOf(values: readonly JsonValue[]): string {
  return values.map((value) => JSON.stringify(typeof value === 'string' ? value : stringify(value))).join(', ');
}

/** A key that is the same for equal values of an enum. */
function keyOf(value: JsonValue): string {
  return isNumber(value) ? (toInteger(value) ?? Number(value)).toString() : itemText(value);
}

/** Whether two numbers are equal by value, whatever their spelling is. */
function sameNumber(a: JsonValue, b: JsonValue): boolean {
  return isNumber(a) && isNumber(b) && keyOf(a) === keyOf(b);
}
