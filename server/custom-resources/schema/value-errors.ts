import { type FieldError, fieldError, notSupportedList, shown } from '#base/errors/field-error.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import { quoteText } from '#base/json/quote-text.ts';
import type { CheckWork } from './check-work.ts';
import { goSyntax } from './go-syntax.ts';
import { isNumber, shownNumber } from './numbers.ts';
import type { ValueTexts } from './value-texts.ts';

/**
 * The largest number of errors. More would not help a client, and a list of a million wrong items must not cause a
 * million messages.
 */
export const MAX_ERRORS = 1000;

/** The largest number of characters of errors. An enum may be as long as a definition, and so may a value. */
const MAX_ERROR_TEXT = 4_000_000;

/** The cost of each character of an error, in steps. */
const ERROR_WORK = 1;
/** The steps of an error besides its text. */
const ERROR_LOOK = 100;

/** A place in a list of errors. */
export interface ErrorMark {
  readonly count: number;
  readonly characters: number;
}

/**
 * The errors of one value, in the texts of the field's validator. `path` leads to the part of the value that the walk
 * is checking, and errors name it. The work for errors is charged to `work`.
 */
export class ValueErrors {
  list: FieldError[] = [];
  readonly path: (string | number)[] = [];
  /** The number of characters of errors so far. */
  #characters = 0;
  readonly #base: string;
  readonly #work: CheckWork;
  readonly #texts: ValueTexts;

  /** @param base the start of the paths of errors: the path of a default, or '' */
  constructor(base: string, work: CheckWork, texts: ValueTexts) {
    this.#texts = texts;
    this.#base = base;
    this.#work = work;
  }

  /** Whether no more errors are made. */
  get isFull(): boolean {
    return this.list.length >= MAX_ERRORS || this.#characters > MAX_ERROR_TEXT;
  }

  /** Begins an empty list for an alternative. The returned function returns this list and restores the earlier one. */
  attempt(): () => FieldError[] {
    const { list } = this;
    const characters = this.#characters;
    this.list = [];
    this.#characters = 0;
    return () => {
      const found = this.list;
      this.list = list;
      this.#characters = characters;
      return found;
    };
  }

  /** The current length of the list, for a return to it. */
  mark(): ErrorMark {
    return { count: this.list.length, characters: this.#characters };
  }

  hasSince({ count }: ErrorMark): boolean {
    return this.list.length > count;
  }

  /** Removes the errors added since the mark. */
  takeBack({ count, characters }: ErrorMark): void {
    this.list.length = count;
    this.#characters = characters;
  }

  /** Adds errors of an alternative, up to {@link MAX_ERRORS}. */
  adopt(errors: readonly FieldError[]): void {
    for (let i = 0; i < errors.length && this.list.length < MAX_ERRORS; i++) this.list.push(errors[i]!);
  }

  /** Adds the error that the value violates a limit of its schema. */
  refuse(value: JsonValue, detail: string): void {
    const found = isNumber(value) ? shownNumber(value) : shown(value);
    this.#add('FieldValueInvalid', `Invalid value: ${found}: ${this.#place()} in body ${detail}`);
  }

  /** Adds the error that the value does not have the type or format with which `detail` begins. */
  refuseType(detail: string, value: string): void {
    const body = `Invalid value: ${JSON.stringify(value)}: ${this.#place()} in body must be of type ${detail}`;
    this.#add('FieldValueTypeInvalid', body);
  }

  /** Adds the error that a number is outside of the range of its format. */
  refuseRange(type: string, format: string): void {
    this.#addToBase(`Checked value must be of type ${type} with format ${format} in ${this.#place()}`);
  }

  /** Adds the error that the schema's factor is not positive. */
  refuseFactor(factor: number): void {
    const detail = `factor MultipleOf declared for ${this.#place()} must be positive: ${factor}`;
    this.#add('FieldValueInvalid', `Invalid value: ${shown(factor)}: ${detail}`);
  }

  /** Adds the error that the value is not in an enum. `list` shows the values of the enum. */
  refuseEnum(value: JsonValue, list: string): void {
    const found = isNumber(value) ? shownNumber(value) : goSyntax(value ?? 'null');
    this.#push(notSupportedList(this.#field(), found, list));
  }

  refuseAlternatives(detail: string): void {
    this.#addToBase(`"${this.#place()}" ${detail}`);
  }

  /** Adds the error that the schema forbids a member with this name. */
  forbidden(name: string): void {
    const detail = `${this.#place()}.${name} in body is a forbidden property`;
    this.#add('FieldValueInvalid', `Invalid value: ${quoteText(name)}: ${detail}`);
  }

  /** Adds the error that a member with this name is missing. */
  required(name: string): void {
    this.path.push(name);
    this.#add('FieldValueRequired', 'Required value');
    this.path.pop();
  }

  tooLong(max: number): void {
    this.#add('FieldValueTooLong', this.#texts.tooLong(max));
  }

  tooMany(actual: number, max: number): void {
    this.#add('FieldValueTooMany', this.#texts.tooMany(actual, max));
  }

  #add(type: FieldError['type'], body: string): void {
    this.#push(fieldError(type, this.#field(), body));
  }

  #addToBase(detail: string): void {
    this.#push(fieldError('FieldValueInvalid', this.#base, `Invalid value: "": ${detail}`));
  }

  #push(error: FieldError): void {
    this.#characters += error.text.length;
    this.#work.charge(ERROR_LOOK + error.text.length * ERROR_WORK);
    this.list.push(error);
  }

  /** The place of the value in the object, in the form of error texts. */
  #place(): string {
    let place = '';
    for (const step of this.path) {
      if (typeof step === 'number') place += `[${step}]`;
      else place += place === '' ? step : `.${step}`;
    }
    return place;
  }

  #field(): string {
    const place = this.#place();
    if (this.#base === '' || place === '') return this.#base + place;
    return `${this.#base}.${place}`;
  }
}
