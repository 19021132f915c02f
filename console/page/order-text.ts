import type { LookRequest } from '../protocol/messages.ts';

/** The order of a table. */
export type Order = Pick<LookRequest, 'sort' | 'descending'>;

/** The order that a part of the address names; the order by name if it names none. @example readOrder('-age') */
export function readOrder(text: string): Order {
  const descending = text.startsWith('-');
  const sort = descending ? text.slice(1) : text;
  if (sort === 'namespace' || sort === 'age') return { sort, descending };
  return { sort: /^\d{1,3}$/.test(sort) ? Number(sort) : 'name', descending };
}

/** The part of the address that names an order; '' for the first one, by name. */
export function writeOrder({ sort, descending }: Order): string {
  if (!descending) return sort === 'name' ? '' : String(sort);
  return `-${sort}`;
}

/** Whether both name the same column: the first column contains the names. */
export function isSameColumn(a: Order['sort'], b: Order['sort']): boolean {
  return a === b || (a === 'name' && b === 0);
}
