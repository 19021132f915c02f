import { isObject, JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import type { ColumnType } from '#schema/descriptors/types.ts';
import type { CustomResourceColumnDefinition } from '#schema/generated/apiextensions.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { timeToMilliseconds } from '#schema/values/time.ts';
import type { Cell, TableForm } from '../../api/resource-definition.ts';
import { CheckWork, OverWorkError } from '../schema/check-work.ts';
import { compileJsonPath, type JsonPath, JsonPathError } from './json-path.ts';
import { chargeText } from './json-path-steps.ts';

const NAME: ColumnType = { name: 'Name', type: 'string', format: 'name', priority: 0 };

/** The columns of a definition that declares none. */
const AGE: CustomResourceColumnDefinition = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/**
 * The budget for the cells of one row, in steps of about 30 ns. One user writes the paths of a definition, and the
 * server evaluates them for every client that lists its objects. The cells of most rows cost a few hundred steps. The
 * budget also limits the texts of a row.
 */
const ROW_STEPS = 50_000;

/**
 * How tables show the objects of a version: with their names, and the columns of the definition. `typeMeta` is the kind
 * and version of the objects, which items of a list do not contain.
 */
export function customTable(
  columns: readonly CustomResourceColumnDefinition[] | undefined,
  typeMeta: { readonly kind: string; readonly apiVersion: string },
): TableForm {
  let shown = columns === undefined || columns.length === 0 ? [AGE] : columns.map(described);
  let paths: JsonPath[];
  try {
    paths = shown.map(({ jsonPath }) => compileJsonPath(jsonPath));
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    // A definition may have invalid columns. Its objects are shown without them.
    shown = [AGE];
    paths = [compileJsonPath(AGE.jsonPath)];
  }
  const types = shown.map(({ type }) => type);
  return {
    columns: [
      NAME,
      ...shown.map(({ name, type, format = '', priority = 0, description = '' }) => ({
        name,
        type,
        format,
        priority,
        description,
      })),
    ],
    cells: (object, now) => {
      const whole = { ...typeMeta, ...object } as unknown as JsonValue;
      const work = new CheckWork(ROW_STEPS);
      return [object.metadata.name ?? '', ...paths.map((path, i) => affordable(path, types[i]!, whole, work, now))];
    },
  };
}

/** A column of a definition. Without a description, it gets one that names the path of its cells. */
function described(column: CustomResourceColumnDefinition): CustomResourceColumnDefinition {
  if (column.description !== undefined && column.description !== '') return column;
  return { ...column, description: `Custom resource definition column (in JSONPath format): ${column.jsonPath}` };
}

/** A cell, or null if the row has used up its budget. Earlier cells stay. */
function affordable(path: JsonPath, type: string, whole: JsonValue, work: CheckWork, now: number): Cell {
  if (work.left < 0) return null;
  try {
    const value = path(whole, work);
    if (type === 'string' && value !== undefined) chargeText(value, work);
    return cellOf(type, value, now);
  } catch (error) {
    if (error instanceof OverWorkError) return null;
    throw error;
  }
}

/** The text for a null in a column of texts. */
const NO_VALUE = '<no value>';

function cellOf(type: string, value: JsonValue | undefined, now: number): Cell {
  if (value === null && type === 'string') return NO_VALUE;
  if (value === undefined || value === null) return null;
  const number = typeof value === 'number' || value instanceof JsonNumber ? Number(value) : undefined;
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : sortedText(value);
    case 'integer':
      return number === undefined ? null : wholeOf(value, number);
    case 'number':
      return number ?? null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    default:
      return typeof value === 'string' ? ageOf(value, now) : null;
  }
}

/** The whole part of a number. It has all digits, even if a double would round them. */
function wholeOf(value: JsonValue, number: number): Cell {
  return value instanceof JsonNumber && /^-?\d+$/.test(value.text) ? value : Math.trunc(number);
}

/** The JSON text of a value, with the members of objects in the order of their names. */
function sortedText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  if (!isObject(value)) return stringify(value);
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${sortedText(value[name]!)}`)
    .join(',')}}`;
}

function ageOf(text: string, now: number): string {
  if (text === '') return age(undefined, now);
  try {
    timeToMilliseconds(text);
  } catch {
    return '<invalid>';
  }
  return age(text, now);
}
