import { JsonNumber } from '../json/json-value.ts';
import { stringify } from '../json/stringify.ts';
import { noteError } from './first-errors.ts';

/** The kinds of field errors, as they appear in `details.causes[].reason`. */
export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotFound'
  | 'InternalError';

/** One mistake of an object at one field path. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** Path such as `spec.containers[0].name` or `metadata.labels`. */
  readonly field: string;
  /** The message without the path, as in `details.causes[].message`. */
  readonly body: string;
  /** The path and the body, as in the message of the Status. */
  readonly text: string;
  /**
   * The body since release 1.37, if it differs. There, a value of several parts is shown as JSON. Earlier releases show
   * it in the syntax of a programming language.
   */
  readonly later?: string;
  /**
   * The whole error in later releases, with the first release of each form, the earliest first. It is set if more than
   * the body differs.
   */
  readonly since?: readonly (readonly [minor: number, error: FieldError])[];
  /**
   * The first release that finds the error: 27 for 1.27. That release does not refuse changes to an object that already
   * has the error.
   */
  readonly from?: number;
  /** The first release that does not find the error any more. */
  readonly until?: number;
  /**
   * The field's server finds the error by a rule in the schema, so that clients see it after all other errors. A number
   * is the first release in which they do: 37 for 1.37.
   */
  readonly declared?: true | number;
}

/** Errors of rules in the schema of the field's server. Clients see them last, in all releases or from `since` on. */
export function declared(errors: readonly FieldError[], since: true | number = true): FieldError[] {
  return errors.map((error) => ({ ...error, declared: since }));
}

/**
 * An error that clients see up to some release. From that release on, they see the error of a rule in the schema of the
 * field's server instead.
 *
 * @param since the first release that has the rule: 37 for 1.37
 * @example
 * inWordsOf([replacedByRule(required('verbs', 'name one'), 37, required('verbs'))], { atLeast: () => true })[0]?.text
 * // => 'verbs: Required value'
 */
export function replacedByRule(error: FieldError, since: number, rule: FieldError): FieldError {
  return { ...error, since: [[since, { ...rule, declared: true }]] };
}

/** Errors in the order in which clients of a release see them. */
export function inOrder(errors: readonly FieldError[], release: ReleaseOrder): readonly FieldError[] {
  const isLast = ({ declared: last }: FieldError) => last === true || (last !== undefined && release.atLeast(last));
  if (!errors.some(isLast)) return errors;
  return [...errors.filter((error) => !isLast(error)), ...errors.filter(isLast)];
}

/** Whether a release has this minor number or a higher one. */
interface ReleaseOrder {
  atLeast(minor: number): boolean;
}

/** Whether all releases find an error and show it in the same form. */
function isTimeless({ later, since, from, until }: FieldError): boolean {
  return later === undefined && since === undefined && from === undefined && until === undefined;
}

/** Errors as clients of a release see them. */
export function inWordsOf(errors: readonly FieldError[], release: ReleaseOrder): readonly FieldError[] {
  if (errors.every(isTimeless)) return errors;
  const found = errors.filter(
    ({ from = 0, until }) => release.atLeast(from) && (until === undefined || !release.atLeast(until)),
  );
  return found.map((error) => {
    const { later, since, from: _from, until: _until, ...own } = error;
    const newest = since?.findLast(([minor]) => release.atLeast(minor))?.[1];
    if (newest !== undefined) return newest;
    return later === undefined || !release.atLeast(37) ? own : { ...own, body: later, text: `${own.field}: ${later}` };
  });
}

/** A path to a field, built step by step. It is immutable. */
export class FieldPath {
  readonly #step: string | number;
  readonly #above: FieldPath | undefined;
  readonly #bracketed: boolean;

  /**
   * The text is built only when a caller reads it, because validation makes dozens of paths for an object without
   * errors.
   */
  constructor(step: string | number = '', above?: FieldPath, bracketed = false) {
    this.#step = step;
    this.#above = above;
    this.#bracketed = bracketed;
  }

  child(...names: readonly string[]): FieldPath {
    let path: FieldPath = this;
    for (const name of names) path = new FieldPath(name, path);
    return path;
  }

  index(i: number): FieldPath {
    return new FieldPath(i, this, true);
  }

  key(key: string): FieldPath {
    return new FieldPath(key, this, true);
  }

  toString(): string {
    const above = this.#above?.toString() ?? '';
    if (this.#bracketed) return `${above}[${this.#step}]`;
    return above === '' ? String(this.#step) : `${above}.${this.#step}`;
  }
}

/** The text in place of a value that messages must not show. */
export const REDACTED = '<secret contents redacted>';

type PathLike = FieldPath | string;

/**
 * An error with an unusual text; `body` is the message without the path.
 *
 * @example
 * fieldError('FieldValueInvalid', 'spec.ports', 'Invalid value: unknown').text
 * // => 'spec.ports: Invalid value: unknown'
 */
export function fieldError(type: FieldErrorType, field: PathLike, body: string): FieldError {
  const path = String(field);
  const error = { type, field: path === '' ? '<nil>' : path, body, text: `${path === '' ? '<nil>' : path}: ${body}` };
  noteError(error);
  return error;
}

/**
 * How a refused value is shown in a message: texts quoted, everything else as JSON.
 *
 * @example shown({ a: 1 }) // => '{"a":1}'
 */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (value instanceof JsonNumber) return value.text;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object') return stringify(value);
  return String(value);
}

export function required(field: PathLike, detail = ''): FieldError {
  return fieldError('FieldValueRequired', field, detail === '' ? 'Required value' : `Required value: ${detail}`);
}

/**
 * @example
 * invalidValue('spec.replicas', -1, 'must not be negative').text
 * // => 'spec.replicas: Invalid value: -1: must not be negative'
 */
export function invalidValue(field: PathLike, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueInvalid', field, `Invalid value: ${shown(value)}${detail === '' ? '' : `: ${detail}`}`);
}

/**
 * `supported` is printed quoted and in the order given.
 *
 * @example
 * notSupported('spec.type', 'Best', ['Good', 'Fine']).text
 * // => 'spec.type: Unsupported value: "Best": supported values: "Good", "Fine"'
 */
export function notSupported(field: PathLike, value: unknown, supported: readonly string[]): FieldError {
  return notSupportedAs(field, shown(value), supported);
}

/**
 * Like {@link notSupported}, for a value that is shown in another form.
 *
 * @example
 * notSupportedAs('spec.type', '7', ['Good', 'Fine']).text
 * // => 'spec.type: Unsupported value: 7: supported values: "Good", "Fine"'
 */
export function notSupportedAs(field: PathLike, shownValue: string, supported: readonly string[]): FieldError {
  return notSupportedList(field, shownValue, supported.map((s) => JSON.stringify(s)).join(', '));
}

/**
 * Like {@link notSupported}, with the values as messages list them: `"a", "b"`, or empty for none.
 *
 * @example
 * notSupportedList('spec.type', '7', '"Good", "Fine"').text
 * // => 'spec.type: Unsupported value: 7: supported values: "Good", "Fine"'
 */
export function notSupportedList(field: PathLike, shownValue: string, list: string): FieldError {
  const body = `Unsupported value: ${shownValue}${list === '' ? '' : `: supported values: ${list}`}`;
  return fieldError('FieldValueNotSupported', field, body);
}

export function duplicate(field: PathLike, value: unknown): FieldError {
  return fieldError('FieldValueDuplicate', field, `Duplicate value: ${shown(value)}`);
}

export function forbiddenField(field: PathLike, detail: string): FieldError {
  return fieldError('FieldValueForbidden', field, detail === '' ? 'Forbidden' : `Forbidden: ${detail}`);
}

/**
 * @example
 * tooLong('metadata.name', 'aaa', 2).text
 * // => 'metadata.name: Too long: must have at most 2 bytes'
 */
export function tooLong(field: PathLike, _value: unknown, max: number): FieldError {
  const later = `Too long: may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`;
  return { ...fieldError('FieldValueTooLong', field, `Too long: must have at most ${max} bytes`), later };
}

/**
 * @example
 * tooMany('spec.ports', 101, 100).text
 * // => 'spec.ports: Too many: 101: must have at most 100 items'
 */
export function tooMany(field: PathLike, actual: number, max: number): FieldError {
  return fieldError('FieldValueTooMany', field, `Too many: ${actual}: must have at most ${max} items`);
}

export function fieldNotFound(field: PathLike, value: unknown): FieldError {
  return fieldError('FieldValueNotFound', field, `Not found: ${shown(value)}`);
}
