import type { FieldError, FieldPath } from '#base/errors/field-error.ts';

/** A list of texts as messages show it, with the name of its type: `[]string{"a", "b"}`; a missing list is `(nil)`. */
export function shownList(type: string, values: readonly string[] | null | undefined): string {
  if (values === undefined || values === null) return `[]${type}(nil)`;
  return `[]${type}{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
}

/**
 * Like `invalidValue`, but the caller gives the text that shows the value.
 *
 * @example
 * invalidShown(new FieldPath('a'), '[]string(nil)', 'is empty').text
 * // => 'a: Invalid value: []string(nil): is empty'
 */
export function invalidShown(path: FieldPath, value: string, detail: string): FieldError {
  const body = `Invalid value: ${value}: ${detail}`;
  const field = path.toString();
  return { type: 'FieldValueInvalid', field, body, text: `${field}: ${body}` };
}
