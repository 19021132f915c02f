import { useEffect, useState } from 'preact/hooks';
import type { CatalogKind } from '../protocol/messages.ts';
import { Grid } from './grid.tsx';
import { isSameColumn, readOrder, writeOrder } from './order-text.ts';
import { ELSEWHERE, type Place } from './place.ts';
import { ProblemNote } from './problem-note.tsx';
import { useTable } from './table-stream.ts';

/** The number of rows above and below the view that are in the page before the user scrolls to them. */
const MARGIN = 40;

export interface TablePageProps {
  readonly kind: CatalogKind;
  readonly kinds: readonly CatalogKind[];
  readonly place: Place;
  readonly go: (change: Partial<Place>) => void;
}

/** The objects of a kind. */
export function TablePage({ kind, kinds, place, go }: TablePageProps) {
  const order = readOrder(place.sort);
  const isWide = place.wide !== '';
  const [sight, setSight] = useState({ first: 0, count: 50 });
  const [current, setCurrent] = useState(0);
  const now = useNow();
  useEffect(() => {
    setCurrent(0);
    setSight((seen) => ({ ...seen, first: 0 }));
  }, [kind.id, place.namespace]);
  const { table, problem } = useTable({
    kind: kind.id,
    namespace: place.namespace,
    labelSelector: place.labels,
    fieldSelector: place.fields,
    filter: place.filter,
    ...order,
    from: Math.max(0, sight.first - MARGIN),
    count: sight.count + 2 * MARGIN,
  });
  const shownProblem = problem ?? table?.problem;
  return (
    <section class="table" aria-label={kind.kind}>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          Filter{' '}
          <input
            id="filter"
            type="search"
            value={place.filter}
            placeholder="words, / from anywhere"
            onInput={(event) => go({ filter: event.currentTarget.value })}
          />
        </label>
        <label>
          Labels{' '}
          <input
            value={place.labels}
            placeholder="app=web,tier!=back"
            onChange={(event) => go({ labels: event.currentTarget.value })}
          />
        </label>
        <label>
          Fields{' '}
          <input
            value={place.fields}
            placeholder="metadata.name=web"
            onChange={(event) => go({ fields: event.currentTarget.value })}
          />
        </label>
        <label class="check">
          <input type="checkbox" checked={isWide} onChange={() => go({ wide: isWide ? '' : 'yes' })} /> All columns
        </label>
        <output class="count" aria-live="polite">
          {table?.isLoaded === true && countText(table.matching, table.total)}
          {table?.isCut === true && ' (more than the console keeps: choose a namespace or labels)'}
        </output>
      </form>
      {shownProblem !== undefined && <ProblemNote problem={shownProblem} />}
      {table?.isLoaded === true ? (
        <Grid
          table={table}
          label={`${kind.kind} objects`}
          kind={kind}
          kinds={kinds}
          {...order}
          withNamespace={kind.isNamespaced && place.namespace === ''}
          isWide={isWide}
          current={Math.min(current, Math.max(0, table.matching - 1))}
          now={now}
          onSort={(sort) =>
            go({ sort: writeOrder({ sort, descending: isSameColumn(order.sort, sort) && !order.descending }) })
          }
          onCurrent={setCurrent}
          onOpen={(row) => go({ object: `${row.namespace}/${row.name}` })}
          onLink={(link) => go({ ...ELSEWHERE, kind: link.kind.id, object: `${link.namespace}/${link.name}` })}
          onSight={(first, count) =>
            setSight((seen) => (seen.first === first && seen.count === count ? seen : { first, count }))
          }
        />
      ) : (
        shownProblem === undefined && <p class="wait">The list of {kind.plural} loads.</p>
      )}
    </section>
  );
}

function countText(matching: number, total: number): string {
  const objects = total === 1 ? '1 object' : `${total} objects`;
  return matching === total ? objects : `${matching} of ${objects}`;
}

/** The present time, updated every second. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
