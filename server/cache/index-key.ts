import type { Item } from './item.ts';

/** One value of a label or of a selectable field, by which a reader selects objects. */
export interface IndexKey {
  readonly of: 'label' | 'field';
  readonly name: string;
  readonly value: string;
}

/** The part of an item that field selectors read. */
export type Selectable = Pick<Item, 'name' | 'namespace' | 'fields'>;

/** The value of a field; '' if the object does not have the field. */
export function fieldValue(item: Selectable, field: string): string {
  if (field === 'metadata.name') return item.name;
  if (field === 'metadata.namespace') return item.namespace;
  return item.fields?.[field] ?? '';
}

/** The value of a label; undefined if the object does not have it. */
function labelValue({ labels }: Pick<Item, 'labels'>, label: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, label) ? labels[label] : undefined;
}

/** The value that an item has of the label or field of an index key. */
export function indexedValue(item: Item, { of, name }: Pick<IndexKey, 'of' | 'name'>): string | undefined {
  return of === 'label' ? labelValue(item, name) : fieldValue(item, name);
}
