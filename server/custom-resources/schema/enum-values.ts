import type { JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import { isScalar, sameValue } from '#schema/apply/value.ts';
import type { Checks, CheckWork } from './check-work.ts';
import { itemText } from './item-text.ts';
import { isNumber, toInteger } from './numbers.ts';

/** Shorter enums are searched item by item. */
const FEW = 16;
/** The cost of reading a value, of finding one and of comparing one, in steps of work. */
const LOOK_WORK = 5;
const INDEX_WORK = 25;
const TELL_WORK = 40;
/** The number of values between two charges. */
const PIECE = 1_000;

/** The values of enums by what equal ones share, and what messages say of them: made when they are first needed. */
const indexes = new WeakMap<readonly JsonValue[], ReadonlySet<string>>();
const lists = new WeakMap<readonly JsonValue[], string>();

/** The values of the enums of one schema, asked for the values of one object. */
export class EnumChecks {
  readonly #work: CheckWork;
  /** The charged work: each object pays the same, even for work that was already done for others. */
  readonly #indexed = new Set<readonly JsonValue[]>();
  readonly #listed = new Set<readonly JsonValue[]>();

  constructor(work: CheckWork) {
    this.#work = work;
  }

  /**
   * Whether a value is one of an enum. Numbers are compared by value, however they are spelled.
   * @throws OverWorkError
   */
  *holds(values: readonly JsonValue[], value: JsonValue): Checks<boolean> {
    if (isShort(values) && isScalar(value)) return this.holdsNow(values, value);
    const work = this.#work;
    const key = keyOf(value);
    work.charge(LOOK_WORK + key.length);
    return (yield* this.#index(values)).has(key);
  }

  /** The same of a single value in an enum that is {@link isShort}. */
  holdsNow(values: readonly JsonValue[], value: JsonValue): boolean {
    this.#work.charge(values.length * LOOK_WORK);
    return values.some((each) => sameValue(each, value) || sameNumber(each, value));
  }

  /**
   * The values of an enum as messages list them: `"a", "b"`.
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

/** Whether an enum has so few values that looking through all of them is quick. */
export function isShort(values: readonly JsonValue[]): boolean {
  return values.length <= FEW;
}

/** Values as messages list them. */
export function listOf(values: readonly JsonValue[]): string {
  return values.map((value) => JSON.stringify(typeof value === 'string' ? value : stringify(value))).join(', ');
}

/** The common form of equal values in an enum. */
function keyOf(value: JsonValue): string {
  return isNumber(value) ? (toInteger(value) ?? Number(value)).toString() : itemText(value);
}

/** Numbers are equal by value, however they are spelled. */
function sameNumber(a: JsonValue, b: JsonValue): boolean {
  return isNumber(a) && isNumber(b) && keyOf(a) === keyOf(b);
}
