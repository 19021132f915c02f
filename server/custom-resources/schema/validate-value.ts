import type { FieldError } from '#base/errors/field-error.ts';
import { isObject, type JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { defaultRelease } from '#base/release/release.ts';
import { characters } from '../../expressions/texts/characters.ts';
import { hasFormat } from '../../expressions/texts/formats.ts';
import { type AlternativesWalk, type Attempt, alternativesTask } from './alternatives.ts';
import type { Checks, CheckWork, Task } from './check-work.ts';
import { EnumChecks, isShort, listOf } from './enum-values.ts';
import { checkLength, checkNumber, checkProperties, checkRequired } from './limit-checks.ts';
import { itemFinder } from './match-items.ts';
import { isInRange } from './number-ranges.ts';
import { isNumber, isWhole, toInteger } from './numbers.ts';
import { PatternChecks } from './pattern-checks.ts';
import { oldMember, Ratchet } from './ratchet.ts';
import type { StructuralSchema, ValueLimits } from './structural-schema.ts';
import { ValueErrors } from './value-errors.ts';
import { type ValueTexts, valueTexts } from './value-texts.ts';

/**
 * The cost of a value, of a character that is counted, and of a character whose format is checked, in steps of work.
 */
const VALUE_WORK = 8;
const LOOK_WORK = 0.25;
const FORMAT_WORK = 10;
/** The largest number of characters for which the check of a format examines the text. */
const FORMAT_LENGTH = 100_000;

const FIRST_TEXTS = valueTexts(defaultRelease);

/** Options for the check of a value. */
export interface ValueOptions {
  /** The beginning of the paths in errors. For a default value in a schema it is the path of the default. */
  readonly base?: string;
  /** The value before the change. If it is set, errors in unchanged parts of the value are ignored. */
  readonly old?: JsonValue | undefined;
  /** The texts of errors. By default they are the texts of the first release. */
  readonly texts?: ValueTexts;
}

/**
 * The errors of a value by the types and limits of its schema. This is our own walk over the value, and not that of a
 * library, because clients know the error texts of the field's validator. The walk pauses from time to time, so that
 * the process can serve other requests.
 *
 * @throws OverWorkError if the checks cost more than the rest of `work`
 */
export function* validateValue(
  schema: StructuralSchema,
  value: JsonValue,
  work: CheckWork,
  { base = '', old, texts = FIRST_TEXTS }: ValueOptions = {},
): Checks<FieldError[]> {
  const walk = new ValidationWalk(base, work, texts);
  walk.begin(schema, value, old);
  while (!walk.goOn()) {
    yield;
    work.resumed();
  }
  return walk.errors.list;
}

/** The JSON type of a value in error messages. */
function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isNumber(value)) return toInteger(value) === undefined ? 'number' : 'integer';
  return typeof value;
}

class ValidationWalk implements AlternativesWalk {
  readonly errors: ValueErrors;
  /**
   * The number of requirements that the value meets. If the value fits none of several alternatives, the errors are
   * those of the alternative with the largest number.
   */
  #met = 0;
  readonly #work: CheckWork;
  readonly #patterns: PatternChecks;
  readonly #enums: EnumChecks;
  readonly #ratchet: Ratchet;
  readonly #path: (string | number)[];
  /** The checks that have started and are not finished. */
  readonly #tasks: Task[] = [];

  constructor(base: string, work: CheckWork, texts: ValueTexts) {
    this.errors = new ValueErrors(base, work, texts);
    this.#path = this.errors.path;
    this.#work = work;
    this.#patterns = new PatternChecks(work);
    this.#enums = new EnumChecks(work);
    this.#ratchet = new Ratchet(work);
  }

  /**
   * Begins the checks of a value and returns whether they have finished. The checks of a single value usually have.
   * Other checks are put on the stack of tasks, with the next one at its top.
   */
  begin(schema: StructuralSchema, value: JsonValue, old?: JsonValue): boolean {
    if (this.errors.isFull) return true;
    const { limits } = schema;
    const isList = Array.isArray(value);
    const isNested = isList || isObject(value);
    const forgive = old === undefined ? undefined : this.#forgiving(schema, value, old);
    if (!isNested && this.#isQuick(limits, value)) {
      this.#checkQuick(schema, value);
      forgive?.();
      return true;
    }
    const tasks = this.#tasks;
    if (forgive !== undefined) tasks.push(forgive);
    this.#work.charge(VALUE_WORK);
    this.#checkType(schema, value);
    if (isNested && !isList) tasks.push(this.#objectTask(schema, value, old));
    if (limits?.enum !== undefined) tasks.push(this.#enumTask(limits.enum, value));
    if (value === null) return false;
    if (isList) tasks.push(this.#listTask(schema, value, old));
    else if (!isNested) tasks.push(this.#singleTask(schema, value));
    if (limits === undefined) return false;
    this.#met++;
    if (limits.hasAlternatives) tasks.push(alternativesTask(this, limits, value));
    return false;
  }

  /** The task after all checks of a value. If the value has not changed, it removes the errors of the value. */
  #forgiving(schema: StructuralSchema, value: JsonValue, old: JsonValue): Task {
    const mark = this.errors.mark();
    return () => {
      if (this.errors.hasSince(mark) && this.#ratchet.isSame(schema, value, old)) this.errors.takeBack(mark);
      return 'done';
    };
  }

  /**
   * Continues after a pause. Returns whether all checks have finished. If not, the caller must let other requests run.
   */
  goOn(): boolean {
    const tasks = this.#tasks;
    for (let task = tasks.at(-1); task !== undefined; task = tasks.at(-1)) {
      const state = task();
      if (state === 'pause') return false;
      if (state === 'done') tasks.pop();
    }
    return true;
  }

  /** Begins the checks of a value inside the current value. Returns whether they have finished. */
  #beginBelow(step: string | number, schema: StructuralSchema, value: JsonValue, old: JsonValue | undefined): boolean {
    this.#path.push(step);
    if (!this.begin(schema, value, old)) return false;
    this.#path.pop();
    return true;
  }

  #listTask(schema: StructuralSchema, list: readonly JsonValue[], old: JsonValue | undefined): Task {
    const { items, limits } = schema;
    const oldItem = old === undefined ? undefined : itemFinder(schema, old);
    let i = 0;
    let isBelow = false;
    return () => {
      if (isBelow) this.#path.pop();
      isBelow = false;
      while (items !== undefined && i < list.length && !this.errors.isFull) {
        if (this.isDue) return 'pause';
        isBelow = !this.#beginBelow(i, items, list[i]!, oldItem?.(list[i]!));
        i++;
        if (isBelow) return 'more';
      }
      if (limits !== undefined) checkLength(this.errors, limits, list.length);
      this.#met++;
      return 'done';
    };
  }

  #objectTask(schema: StructuralSchema, object: JsonObject, old: JsonValue | undefined): Task {
    const { properties, additional, limits } = schema;
    const isRoot = this.#path.length === 0;
    let names: readonly string[] | undefined;
    let i = 0;
    let isBelow = false;
    return () => {
      if (names === undefined) {
        names = Object.keys(object);
        if (limits !== undefined && !checkProperties(this.errors, limits, names.length)) return 'done';
      }
      if (isBelow) this.#path.pop();
      isBelow = false;
      while (i < names.length) {
        if (this.errors.isFull) return 'done';
        if (this.isDue) return 'pause';
        const name = names[i++]!;
        const property = properties.get(name) ?? additional;
        if (typeof property === 'object') {
          isBelow = !this.#beginBelow(name, property, object[name]!, oldMember(old, name, isRoot));
        } else this.#checkUnnamed(name, property);
        if (isBelow) return 'more';
      }
      if (limits !== undefined) {
        this.#work.charge(limits.required.length);
        checkRequired(this.errors, limits, object);
      }
      return 'done';
    };
  }

  #singleTask(schema: StructuralSchema, value: JsonValue): Task {
    const { limits } = schema;
    let search: Checks<boolean> | undefined;
    return () => {
      if (isNumber(value)) {
        this.#checkRange(schema, value);
        if (limits !== undefined) this.#checkNumber(limits, value);
        return 'done';
      }
      if (typeof value !== 'string') return 'done';
      if (search === undefined && limits !== undefined && this.#fitsLength(limits, value)) {
        if (limits.pattern === '') this.#met++;
        else search = this.#patterns.holds(limits.pattern, value);
      }
      const found = search?.next();
      if (found?.done === false) return 'pause';
      if (found !== undefined) this.#reportPattern(limits!.pattern, value, found.value === true);
      this.#checkFormat(schema, value);
      return 'done';
    };
  }

  #enumTask(values: readonly JsonValue[], value: JsonValue): Task {
    const checks = this.#checkEnum(values, value);
    return () => (checks.next().done === true ? 'done' : 'pause');
  }

  /** Whether all checks of a single value are fast. */
  #isQuick(limits: ValueLimits | undefined, value: JsonValue): boolean {
    if (limits === undefined || !limits.isDear) return true;
    if (limits.hasAlternatives) return false;
    if (typeof value === 'string' && limits.pattern !== '' && !this.#patterns.isQuick(limits.pattern, value))
      return false;
    return limits.enum === undefined || isShort(limits.enum);
  }

  #checkQuick(schema: StructuralSchema, value: JsonValue): void {
    this.#work.charge(VALUE_WORK);
    this.#checkType(schema, value);
    const { limits } = schema;
    if (schema.numberFormat !== '' && isNumber(value)) this.#checkRange(schema, value);
    if (value !== null && limits !== undefined) {
      this.#met++;
      if (typeof value === 'string') {
        if (this.#fitsLength(limits, value))
          this.#reportPattern(limits.pattern, value, this.#holdsNow(limits.pattern, value));
      } else if (isNumber(value)) this.#checkNumber(limits, value);
    }
    if (typeof value === 'string') this.#checkFormat(schema, value);
    if (limits?.enum === undefined) return;
    if (this.#enums.holdsNow(limits.enum, value)) this.#met++;
    else this.errors.refuseEnum(value, listOf(limits.enum));
  }

  #holdsNow(pattern: string, text: string): boolean {
    return pattern === '' || this.#patterns.holdsNow(pattern, text);
  }

  get isDue(): boolean {
    return this.#work.isDue;
  }

  #checkType({ types, nullable }: StructuralSchema, value: JsonValue): void {
    if (types.length === 0 || (value === null && nullable)) {
      this.#met++;
      return;
    }
    const type = typeName(value);
    const fits =
      types.includes(type) ||
      (type === 'integer' && types.includes('number')) ||
      (type === 'number' && types.includes('integer') && isWhole(value as number | JsonNumber));
    if (fits) this.#met++;
    else this.errors.refuseType(`${types.join(',')}: ${JSON.stringify(type)}`, type);
  }

  #checkFormat({ format, types }: StructuralSchema, text: string): void {
    if (format === '' || !(types.length === 0 || types.includes('string'))) return;
    this.#work.charge(text.length + Math.min(text.length, FORMAT_LENGTH) * FORMAT_WORK);
    if (!hasFormat(format, text)) this.errors.refuseType(`${format}: ${JSON.stringify(text)}`, text);
  }

  /** Whether a text has an allowed length. If not, adds an error. */
  #fitsLength({ maxLength, minLength }: ValueLimits, text: string): boolean {
    if (maxLength !== undefined && text.length > maxLength && this.#characters(text, maxLength) > maxLength) {
      this.errors.tooLong(maxLength);
      return false;
    }
    if (minLength !== undefined && this.#characters(text, minLength) < minLength) {
      this.errors.refuse(text, `should be at least ${minLength} chars long`);
      return false;
    }
    return true;
  }

  /**
   * The number of characters in a text, for a comparison with a limit. A character is one or two units of the string.
   * If the limit is so far away that the difference does not matter, the method returns the length of the string.
   */
  #characters(text: string, limit: number): number {
    if (text.length < limit || text.length > 2 * limit) return text.length;
    this.#work.charge(text.length * LOOK_WORK);
    return characters(text);
  }

  #reportPattern(pattern: string, text: string, holds: boolean): void {
    if (holds) this.#met++;
    else this.errors.refuse(text, `should match '${pattern}'`);
  }

  /** Checks the range of a number by the format of the schema, such as `int32` or `float`. */
  #checkRange({ numberFormat, types }: StructuralSchema, value: number | JsonNumber): void {
    const [type = ''] = types;
    if (numberFormat === '' || types.length > 1 || isInRange(value, type, numberFormat)) return;
    this.errors.refuseRange(type, numberFormat);
  }

  #checkNumber(limits: ValueLimits, value: number | JsonNumber): void {
    checkNumber(this.errors, limits, value);
    this.#met++;
  }

  /** Checks a field that the properties of the schema do not describe. */
  #checkUnnamed(name: string, additional: boolean | undefined): void {
    this.#work.charge(VALUE_WORK);
    if (additional === false) this.errors.forbidden(name);
  }

  *#checkEnum(values: readonly JsonValue[], value: JsonValue): Checks<void> {
    if (yield* this.#enums.holds(values, value)) {
      this.#met++;
      return;
    }
    if (this.errors.isFull) return;
    this.errors.refuseEnum(value, yield* this.#enums.list(values));
  }

  /** Begins the check of a value by one of several alternatives, separately from all other results. */
  beginAttempt(schema: StructuralSchema, value: JsonValue): { readonly isFinished: boolean; end(): Attempt } {
    const met = this.#met;
    const endErrors = this.errors.attempt();
    this.#met = 0;
    const isFinished = this.begin(schema, value);
    const end = () => {
      const attempt = { errors: endErrors(), met: this.#met };
      this.#met = met;
      return attempt;
    };
    return { isFinished, end };
  }

  adopt(errors: readonly FieldError[]): void {
    this.errors.adopt(errors);
  }

  refuseAlternatives(detail: string): void {
    this.errors.refuseAlternatives(detail);
  }
}
