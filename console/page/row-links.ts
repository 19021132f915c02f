import type { CatalogKind, ShownOwner, ShownRow } from '../protocol/messages.ts';

/** Another object that a cell names. */
export interface RowLink {
  readonly kind: CatalogKind;
  /** '' where the kind has no namespaces. */
  readonly namespace: string;
  readonly name: string;
}

/** What a name of an object looks like: cells of such columns may also say that there is none. */
const NAME = /^[a-z\d]([a-z\d.-]*[a-z\d])?$/;

/**
 * The object that a cell names, where the column is headed by its kind: `Node` in a table of pods. Undefined where it
 * names none.
 *
 * @param of the kind of the table: a column of the same name says something of the object itself
 */
export function linkOfCell(
  kinds: readonly CatalogKind[],
  of: CatalogKind,
  column: string,
  row: Pick<ShownRow, 'namespace'>,
  cell: string,
): RowLink | undefined {
  if (!NAME.test(cell) || column === of.kind) return undefined;
  const kind = kinds.find((one) => one.kind === column);
  return kind && { kind, namespace: kind.isNamespaced ? row.namespace : '', name: cell };
}

/** The owner of an object, where the server serves its kind. */
export function linkOfOwner(
  kinds: readonly CatalogKind[],
  { apiVersion, kind: name, name: owner }: ShownOwner,
  namespace: string,
): RowLink | undefined {
  const group = apiVersion.includes('/') ? apiVersion.split('/', 1)[0] : '';
  const kind = kinds.find((one) => one.kind === name && one.group === group);
  return kind && { kind, namespace: kind.isNamespaced ? namespace : '', name: owner };
}
