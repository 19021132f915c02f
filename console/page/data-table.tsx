import type { ComponentChildren } from 'preact';

export interface DataColumn {
  readonly name: string;
  readonly isNumber?: boolean;
}

export interface DataTableProps {
  readonly label: string;
  readonly columns: readonly DataColumn[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** The text if there are no rows. */
  readonly none: string;
}

/** A table of figures. If it is wider than the page, it scrolls separately, also with keys. */
export function DataTable({ label, columns, rows, none }: DataTableProps) {
  if (rows.length === 0) return <p class="quiet">{none}</p>;
  return (
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table class="plain">
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" class={isNumber === true ? 'number' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, at) => (
                <td key={columns[at]!.name} class={columns[at]!.isNumber === true ? 'number' : ''}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
