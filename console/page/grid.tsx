import { useEffect, useRef, useState } from 'preact/hooks';
import type { CatalogKind, LookRequest, ShownColumn } from '../protocol/messages.ts';
import { ageText } from './age.ts';
import { linkOfCell, linkOfOwner, type RowLink } from './row-links.ts';
import type { LiveRow, LiveTable } from './table-stream.ts';

/** The height of a row, in pixels; the style sheet has the same value. */
const ROW_HEIGHT = 30;

/** The heading of the server's column of ages; the page itself updates these. */
const AGE = 'Age';

export interface GridProps {
  readonly table: LiveTable;
  readonly label: string;
  readonly kind: CatalogKind;
  readonly kinds: readonly CatalogKind[];
  readonly sort: LookRequest['sort'];
  readonly descending: boolean;
  readonly withNamespace: boolean;
  readonly isWide: boolean;
  /** The row that has the focus, counted over all rows. */
  readonly current: number;
  readonly now: number;
  readonly onSort: (sort: LookRequest['sort']) => void;
  readonly onCurrent: (row: number) => void;
  readonly onOpen: (row: LiveRow) => void;
  readonly onLink: (link: RowLink) => void;
  /** The index of the first visible row, and the number of visible rows. */
  readonly onSight: (first: number, count: number) => void;
}

interface Heading {
  readonly name: string;
  /** Undefined for a column that the server does not sort by. */
  readonly sort: LookRequest['sort'] | undefined;
  readonly description: string;
  readonly text: (row: LiveRow, now: number) => string;
  /** Another object that the cell names. */
  readonly link: (row: LiveRow) => RowLink | undefined;
  /** The index of the cell; -1 if the value is not in a cell. */
  readonly at: number;
}

/** A table. The page contains only its visible rows. */
export function Grid(props: GridProps) {
  const { table, current, now } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const headings = headingsOf(table.columns, props);
  /** The column that left and right have chosen in the current row; -1 for the row itself. */
  const [chosen, setColumn] = useState(-1);
  const column = Math.min(chosen, headings.length - 1);
  const active = column < 0 ? `row-${current}` : cellId(current, column);

  const sight = (): void => {
    const { scrollTop, clientHeight } = scroller.current!;
    props.onSight(Math.floor(scrollTop / ROW_HEIGHT), Math.ceil(clientHeight / ROW_HEIGHT) + 1);
  };
  useEffect(sight, [table.matching]);
  useEffect(() => {
    const observer = new ResizeObserver(sight);
    observer.observe(scroller.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    // Scrolls the current row, which has the focus, into view.
    const { scrollTop, clientHeight } = scroller.current!;
    const [top, bottom] = [current * ROW_HEIGHT, (current + 2) * ROW_HEIGHT];
    if (top < scrollTop) scroller.current!.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) scroller.current!.scrollTop = bottom - clientHeight;
  }, [current]);
  useEffect(() => {
    if (column >= 0) document.getElementById(active)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active]);

  const move = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(scroller.current!.clientHeight / ROW_HEIGHT) - 2);
    const steps = new Map([
      ['ArrowDown', 1],
      ['ArrowUp', -1],
      ['PageDown', page],
      ['PageUp', -page],
      ['Home', -table.matching],
      ['End', table.matching],
    ]);
    const step = steps.get(event.key);
    const row = table.rows[current - table.from];
    const heading = headings[Math.max(0, column)];
    if (step !== undefined) props.onCurrent(Math.max(0, Math.min(table.matching - 1, current + step)));
    else if (event.key === 'ArrowRight') setColumn(Math.min(headings.length - 1, column + 1));
    else if (event.key === 'ArrowLeft') setColumn(Math.max(-1, column - 1));
    else if (event.key === 'Enter') {
      if (row === undefined) return;
      const link = column < 0 ? undefined : heading?.link(row);
      if (link === undefined) props.onOpen(row);
      else props.onLink(link);
    } else if (event.key === 'o') {
      const link = row?.owner && linkOfOwner(props.kinds, row.owner, row.namespace);
      if (link === undefined) return;
      props.onLink(link);
    } else if (event.key === 's') {
      if (heading?.sort === undefined) return;
      props.onSort(heading.sort);
    } else return;
    event.preventDefault();
  };

  const columns = { gridTemplateColumns: `repeat(${headings.length}, minmax(6rem, auto))` };
  return (
    <div
      class="grid"
      role="grid"
      aria-label={props.label}
      aria-rowcount={table.matching + 1}
      aria-colcount={headings.length}
      aria-activedescendant={active}
      tabIndex={0}
      ref={scroller}
      onScroll={sight}
      onKeyDown={move}
    >
      <div class="sheet" role="presentation" style={columns}>
        <div class="row head" role="row" aria-rowindex={1}>
          {headings.map((heading) => (
            <div key={heading.name} class="cell" role="columnheader" aria-sort={sortedAs(heading, props)}>
              <HeadingButton heading={heading} props={props} />
            </div>
          ))}
        </div>
        <div class="space" role="presentation" style={{ height: `${table.from * ROW_HEIGHT}px` }} />
        {table.rows.map((row, at) => {
          const place = table.from + at;
          return (
            <div
              key={row.uid}
              id={`row-${place}`}
              class={`row${place === current ? ' current' : ''}${row.isGoing ? ' going' : ''}`}
              role="row"
              aria-rowindex={place + 2}
              aria-selected={place === current}
              onClick={() => {
                props.onCurrent(place);
                props.onOpen(row);
              }}
            >
              {headings.map((heading, at) => (
                <div
                  key={row.changed.has(heading.at) ? `${heading.name} ${row.beat}` : heading.name}
                  id={cellId(place, at)}
                  class={`cell${row.changed.has(heading.at) ? ' changed' : ''}${active === cellId(place, at) ? ' chosen' : ''}`}
                  role="gridcell"
                  title={titleOf(heading.text(row, now))}
                >
                  <CellText heading={heading} row={row} now={now} onLink={props.onLink} />
                </div>
              ))}
            </div>
          );
        })}
        <div
          class="space"
          role="presentation"
          style={{ height: `${Math.max(0, table.matching - table.from - table.rows.length) * ROW_HEIGHT}px` }}
        />
      </div>
    </div>
  );
}

/** The whole text of a cell that may be cut. */
function titleOf(text: string): string | undefined {
  return text.length > 40 ? text : undefined;
}

function cellId(row: number, column: number): string {
  return `cell-${row}-${column}`;
}

interface HeadingButtonProps {
  readonly heading: Heading;
  readonly props: GridProps;
}

function HeadingButton({ heading, props }: HeadingButtonProps) {
  const { sort } = heading;
  if (sort === undefined) return <span title={heading.description}>{heading.name}</span>;
  return (
    <button type="button" title={heading.description} tabIndex={-1} onClick={() => props.onSort(sort)}>
      {heading.name}
      <span aria-hidden="true">{mark(heading, props)}</span>
    </button>
  );
}

interface CellTextProps {
  readonly heading: Heading;
  readonly row: LiveRow;
  readonly now: number;
  readonly onLink: (link: RowLink) => void;
}

function CellText({ heading, row, now, onLink }: CellTextProps) {
  const text = heading.text(row, now);
  const link = heading.link(row);
  if (link === undefined) return <>{text}</>;
  return (
    <button
      type="button"
      class="link"
      tabIndex={-1}
      onClick={(event) => {
        event.stopPropagation();
        onLink(link);
      }}
    >
      {text}
    </button>
  );
}

const nowhere = () => undefined;

function headingsOf(columns: readonly ShownColumn[], props: GridProps): readonly Heading[] {
  const { withNamespace, isWide, kinds, kind } = props;
  const headings: Heading[] = columns.flatMap(({ name, priority, description }, at): Heading[] => {
    if (priority > 0 && !isWide) return [];
    if (name === AGE) {
      const text = (row: LiveRow, now: number) => (row.created === 0 ? '' : ageText(row.created, now));
      return [{ name, description, sort: 'age', at: -1, text, link: nowhere }];
    }
    const text = (row: LiveRow) => String(row.cells[at] ?? '');
    const link = (row: LiveRow) => linkOfCell(kinds, kind, name, row, text(row));
    return [{ name, description, sort: at, at, text, link }];
  });
  if (withNamespace) {
    const description = 'The namespace of the object.';
    const text = (row: LiveRow) => row.namespace;
    headings.unshift({ name: 'Namespace', description, sort: 'namespace', at: -1, text, link: nowhere });
  }
  if (isWide)
    headings.push({
      name: 'Owner',
      description: 'What made the object, and looks after it.',
      sort: undefined,
      at: -1,
      text: ({ owner }) => (owner === undefined ? '' : `${owner.kind} ${owner.name}`),
      link: ({ owner, namespace }) => owner && linkOfOwner(kinds, owner, namespace),
    });
  return headings;
}

/** The first column contains the names, by which a table is sorted at first. */
function isSortedBy(heading: Heading, { sort }: GridProps): boolean {
  return heading.sort === sort || (sort === 'name' && heading.sort === 0);
}

function sortedAs(heading: Heading, props: GridProps): 'ascending' | 'descending' | 'none' {
  if (!isSortedBy(heading, props)) return 'none';
  return props.descending ? 'descending' : 'ascending';
}

function mark(heading: Heading, props: GridProps): string {
  if (!isSortedBy(heading, props)) return '';
  return props.descending ? ' ▼' : ' ▲';
}
