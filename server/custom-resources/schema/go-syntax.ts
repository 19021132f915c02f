import { isObject, type JsonValue } from '../../json/json-value.ts';
import { stringify } from '../../json/stringify.ts';

/** A value as messages of the field's servers spell lists and objects: `map[string]interface {}{"a":"x"}`. */
export function goSyntax(value: JsonValue): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return value === null ? 'interface {}(nil)' : stringify(value);
  const members = Object.keys(value).sort();
  return `map[string]interface {}{${members.map((key) => `${JSON.stringify(key)}:${goSyntax(value[key]!)}`).join(', ')}}`;
}
