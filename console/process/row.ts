import type { TableRow } from '#client/tables/table-client.ts';
import type { ShownOwner } from '../protocol/messages.ts';
import { orderOf } from './order.ts';

/**
 * A cell as the page shows it. Dates of objects are sent unchanged, so that the page can count ages without the server.
 */
export type Cell = string | number | null;

/** A row of a table, as the process keeps it. */
export interface Row {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** The time in milliseconds since 1970; 0 if the object has no such time. */
  readonly created: number;
  readonly isGoing: boolean;
  readonly owner: ShownOwner | undefined;
  readonly cells: readonly Cell[];
  /** The key that orders names: see `orderOf`. */
  readonly order: string;
  /** The text that filters search, in lower case. */
  readonly text: string;
  /** Grows with each change of any row, so that a page gets only the rows that it does not have. */
  readonly version: number;
}

/** The longest stored text of a cell, in characters. */
const LONGEST = 1_000;

/** The largest number of characters of a row that a filter searches. */
const LONGEST_TEXT = 4_000;

/** Makes a row from the server's row. */
export function rowOf({ metadata, cells }: TableRow, version: number): Row {
  const { uid = '', name = '', namespace = '', creationTimestamp, deletionTimestamp, labels = {} } = metadata;
  const shown = cells.map(cellOf);
  const labelTexts = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return {
    uid: uid === '' ? `${namespace}/${name}` : uid,
    name,
    namespace,
    created: creationTimestamp ? Date.parse(creationTimestamp) || 0 : 0,
    isGoing: Boolean(deletionTimestamp),
    owner: ownerOf(metadata),
    cells: shown,
    order: orderOf(name),
    text: [namespace, name, ...shown, ...labelTexts].join(' ').slice(0, LONGEST_TEXT).toLowerCase(),
    version,
  };
}

function ownerOf({ ownerReferences }: TableRow['metadata']): ShownOwner | undefined {
  const owner = ownerReferences?.find(({ controller }) => controller === true) ?? ownerReferences?.[0];
  return owner && { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name };
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return value;
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LONGEST);
}
