import type { ApiObject } from '#schema/objects/api-object.ts';
import { AnswerError, formOf, isFields, objectOf } from '../answers.ts';

/** A table as servers send it. */
export interface Table {
  readonly kind: string;
  readonly metadata?: { readonly continue?: string; readonly resourceVersion?: string };
  readonly columnDefinitions: readonly Column[] | null;
  readonly rows: readonly Row[] | null;
}

export interface Column {
  readonly name: string;
  readonly priority: number;
  readonly description?: string;
}

export interface Row {
  readonly cells: readonly unknown[];
  readonly object?: ApiObject;
}

/**
 * A table that a server sent; undefined if the value is not a table.
 * @throws AnswerError if the table is malformed
 */
export function tableOf(value: unknown): Table | undefined {
  if (!isFields(value) || value['kind'] !== 'Table') return undefined;
  const { columnDefinitions, rows, metadata } = value;
  if (!isFields(metadata ?? {}) || typeof ((metadata as Table['metadata'])?.continue ?? '') !== 'string')
    throw new AnswerError('metadata of the table that the server sent is of another form');
  return {
    kind: 'Table',
    ...(metadata ? { metadata: metadata as NonNullable<Table['metadata']> } : {}),
    columnDefinitions: columnDefinitions ? listIn(columnDefinitions, 'columnDefinitions', columnOf) : null,
    rows: rows ? listIn(rows, 'rows', rowOf) : null,
  };
}

function listIn<T>(value: unknown, name: string, read: (item: unknown, where: string) => T): T[] {
  if (!Array.isArray(value)) throw new AnswerError(`${name} of the table that the server sent is ${formOf(value)}`);
  return value.map((item, at) => read(item, `${name}[${at}] of the table that the server sent`));
}

function columnOf(value: unknown, where: string): Column {
  const { name, priority = 0, description } = isFields(value) ? value : {};
  if (typeof name !== 'string' || typeof priority !== 'number') throw new AnswerError(`${where} is no column`);
  return { name, priority, ...(typeof description === 'string' ? { description } : {}) };
}

function rowOf(value: unknown, where: string): Row {
  if (!isFields(value) || !Array.isArray(value['cells'])) throw new AnswerError(`${where} has no cells`);
  const { cells, object } = value;
  return {
    cells: cells as unknown[],
    ...(object === null || object === undefined ? {} : { object: objectOf(object, `the object in ${where}`) }),
  };
}
