import { type FieldError, type FieldPath, fieldError } from '#base/errors/field-error.ts';
import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { quoteText } from '#base/json/quote-text.ts';
import { stringify } from '#base/json/stringify.ts';

/** A value in messages of the field's servers, which show lists and objects like `map[string]interface {}{"a":"x"}`. */
export function goSyntax(value: JsonValue): string {
  if (typeof value === 'string') return quoteText(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return value === null ? 'interface {}(nil)' : stringify(value);
  const members = Object.keys(value).sort();
  return `map[string]interface {}{${members.map((key) => `${quoteText(key)}:${goSyntax(value[key]!)}`).join(', ')}}`;
}

/** The error of a value, which the message shows in the form of {@link goSyntax}. */
export function refusedValue(path: FieldPath, value: JsonValue, detail: string): FieldError {
  const shown = goSyntax(value ?? 'null');
  return fieldError('FieldValueInvalid', path, `Invalid value: ${shown}: ${detail}`);
}

/** The error of a list of texts, which the message shows as `[]string{"a"}`. Undefined means a missing list. */
export function refusedList(path: FieldPath, list: readonly string[] | undefined, detail: string): FieldError {
  const shown = list === undefined ? '(nil)' : `{${list.map(quoteText).join(', ')}}`;
  return fieldError('FieldValueInvalid', path, `Invalid value: []string${shown}: ${detail}`);
}
