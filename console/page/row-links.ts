import type { CatalogKind, ShownOwner, ShownRow } from '../protocol/messages.ts';

/** Another object that a cell names. */
export interface RowLink {
  readonly kind: CatalogKind;
  /** '' if the kind has no namespaces. */
  readonly namespace: string;
  readonly name: string;
}

/** The form of an object's name. Cells of such columns may also contain a word for no object. */
const NAME = /^[a-z\d]([a-z\d.-]*[a-z\d])?$/;

/**
 * The object that a cell names, if the column's heading is the object's kind: `Node` in a table of pods. Undefined if
 * it names none.
 *
 * @param of the kind of the table: a column with the same name describes the object itself
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

/** The owner of an object, if the server serves its kind. */
export function linkOfOwner(
  kinds: readonly CatalogKind[],
  { apiVersion, kind: name, name: owner }: ShownOwner,
  namespace: string,
): RowLink | undefined {
  const group = apiVersion.includes('/') ? apiVersion.split('/', 1)[0] : '';
  const kind = kinds.find((one) => one.kind === name && one.group === group);
  return kind && { kind, namespace: kind.isNamespaced ? namespace : '', name: owner };
}
