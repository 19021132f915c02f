import { useEffect, useRef } from 'preact/hooks';
import type { LookRequest, ShownColumn } from '../protocol/messages.ts';
import { ageText } from './age.ts';
import type { LiveRow, LiveTable } from './table-stream.ts';

/** The height of a row, in pixels: the style sheet says the same. */
const ROW_HEIGHT = 30;

/** The heading under which servers give ages, which the page counts on by itself. */
const AGE = 'Age';

export interface GridProps {
  readonly table: LiveTable;
  readonly label: string;
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
  /** The first row that is in sight, and how many are. */
  readonly onSight: (first: number, count: number) => void;
}

interface Heading {
  readonly name: string;
  readonly sort: LookRequest['sort'];
  readonly description: string;
  readonly text: (row: LiveRow, now: number) => string;
  /** The place of the cell; -1 where the value is not one of the cells. */
  readonly at: number;
}

/** A table of which only the rows in sight are in the page. */
export function Grid(props: GridProps) {
  const { table, current, now } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const headings = headingsOf(table.columns, props);

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
    // The focus goes with the row that is current, into sight where it is not.
    const { scrollTop, clientHeight } = scroller.current!;
    const [top, bottom] = [current * ROW_HEIGHT, (current + 2) * ROW_HEIGHT];
    if (top < scrollTop) scroller.current!.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) scroller.current!.scrollTop = bottom - clientHeight;
  }, [current]);

  const move = (event: KeyboardEvent): void => {
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
    if (step !== undefined) props.onCurrent(Math.max(0, Math.min(table.matching - 1, current + step)));
    else if (event.key === 'Enter') {
      const row = table.rows[current - table.from];
      if (row === undefined) return;
      props.onOpen(row);
    } else return;
    event.preventDefault();
  };

  const columns = { gridTemplateColumns: `repeat(${headings.length}, minmax(6rem, max-content))` };
  return (
    <div
      class="grid"
      role="grid"
      aria-label={props.label}
      aria-rowcount={table.matching + 1}
      aria-colcount={headings.length}
      aria-activedescendant={`row-${current}`}
      tabIndex={0}
      ref={scroller}
      onScroll={sight}
      onKeyDown={move}
    >
      <div class="sheet" role="presentation" style={columns}>
        <div class="row head" role="row" aria-rowindex={1}>
          {headings.map((heading) => (
            <div key={heading.name} class="cell" role="columnheader" aria-sort={sortedAs(heading, props)}>
              <button
                type="button"
                title={heading.description}
                tabIndex={-1}
                onClick={() => props.onSort(heading.sort)}
              >
                {heading.name}
                <span aria-hidden="true">{mark(heading, props)}</span>
              </button>
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
              {headings.map((heading) => (
                <div
                  key={row.changed.has(heading.at) ? `${heading.name} ${row.beat}` : heading.name}
                  class={`cell${row.changed.has(heading.at) ? ' changed' : ''}`}
                  role="gridcell"
                >
                  {heading.text(row, now)}
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

function headingsOf(columns: readonly ShownColumn[], { withNamespace, isWide }: GridProps): readonly Heading[] {
  const headings: Heading[] = columns.flatMap(({ name, priority, description }, at): Heading[] => {
    if (priority > 0 && !isWide) return [];
    if (name === AGE) {
      const text = (row: LiveRow, now: number) => (row.created === 0 ? '' : ageText(row.created, now));
      return [{ name, description, sort: 'age', at: -1, text }];
    }
    return [{ name, description, sort: at, at, text: (row) => String(row.cells[at] ?? '') }];
  });
  if (withNamespace) {
    const description = 'The namespace of the object.';
    headings.unshift({ name: 'Namespace', description, sort: 'namespace', at: -1, text: (row) => row.namespace });
  }
  return headings;
}

/** The first column is that of the name, by which a table is sorted at first. */
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
