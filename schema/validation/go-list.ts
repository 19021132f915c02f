import type { FieldError, FieldPath } from '#base/errors/field-error.ts';

/** A value in the messages of releases before 1.37, and in those since 1.37. */
export interface Shown {
  /** A list with the names of its types, such as `[]string{"a"}`. */
  readonly typed: string;
  readonly json: string;
}

/** A list of texts in messages, with the name of its type: `[]string{"a", "b"}`. A missing list is `(nil)`. */
export function shownList(type: string, values: readonly string[] | null | undefined): Shown {
  if (values === undefined || values === null) return { typed: `[]${type}(nil)`, json: 'null' };
  const typed = `[]${type}{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
  return { typed, json: JSON.stringify(values) };
}

/**
 * Like `invalidValue`, but the caller gives the texts that show the value.
 *
 * @example
 * invalidShown(new FieldPath('a'), { typed: '[]string(nil)', json: 'null' }, 'is empty').text
 * // => 'a: Invalid value: []string(nil): is empty'
 */
export function invalidShown(path: FieldPath, { typed, json }: Shown, detail: string): FieldError {
  const body = `Invalid value: ${typed}: ${detail}`;
  const field = path.toString();
  const later = `Invalid value: ${json}: ${detail}`;
  return { type: 'FieldValueInvalid', field, body, text: `${field}: ${body}`, later };
}
