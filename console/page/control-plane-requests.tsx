import type { ControlPlane, FlowState, NamedCount, Percentiles, RequestCount } from '../protocol/control-plane.ts';
import { DataTable } from './data-table.tsx';
import { bytesText, secondsText, shortText } from './figures.ts';

/** The largest number of lines of a list that is long in large clusters. */
const MOST_LINES = 15;

const number = (name: string) => ({ name, isNumber: true });

export function Requests({ requests }: { readonly requests: readonly RequestCount[] }) {
  return (
    <DataTable
      label="Requests by verb and code"
      columns={[{ name: 'Verb' }, { name: 'Code' }, number('A second'), number('Since the replicas began')]}
      rows={requests.map(({ verb, code, count, perSecond }) => [
        verb,
        code,
        perSecond === null ? '' : shortText(perSecond),
        shortText(count),
      ])}
      none="No request was counted yet."
    />
  );
}

export interface DurationsProps {
  readonly label: string;
  readonly durations: readonly Percentiles[];
  /** The heading of the first column, which names each row. */
  readonly name: string;
}

/** Percentiles as bars: each is as long as its share of the longest. */
export function Durations({ label, durations, name }: DurationsProps) {
  const longest = Math.max(0, ...durations.map(({ p99 }) => p99 ?? 0));
  return (
    <DataTable
      label={label}
      columns={[
        { name },
        number('Requests'),
        number('Half in'),
        number('90 % in'),
        number('99 % in'),
        { name: 'As a bar' },
      ]}
      rows={durations.map((one) => {
        const text = (seconds: number | null) =>
          seconds === null ? '' : `${seconds >= one.most ? 'more than ' : ''}${secondsText(seconds)}`;
        return [
          one.name,
          shortText(one.count),
          text(one.p50),
          text(one.p90),
          text(one.p99),
          <Bar key="bar" share={(one.p99 ?? 0) / longest} mark={(one.p50 ?? 0) / longest} />,
        ];
      })}
      none="Nothing was measured in this time."
    />
  );
}

/** A bar with a mark. The cells beside it contain its values as text. */
function Bar({ share, mark }: { readonly share: number; readonly mark?: number }) {
  const x = (value: number): number => (Number.isFinite(value) ? Math.min(100, value * 100) : 0);
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="full" x="0" y="2" width={x(share)} height="6" />
      {mark !== undefined && <rect class="mark" x={Math.max(0, x(mark) - 1)} y="0" width="1" height="10" />}
    </svg>
  );
}

export function Flows({ flows }: { readonly flows: readonly FlowState[] }) {
  return (
    <DataTable
      label="Requests under way and waiting, by flow"
      columns={[
        { name: 'Priority level' },
        { name: 'Flow' },
        number('Under way'),
        number('Waiting'),
        number('Seats of the level'),
        { name: 'As a bar' },
      ]}
      rows={flows.map(({ level, flow, executing, queued, limit }) => [
        level,
        flow,
        shortText(executing),
        <span key="queued" class={queued > 0 ? 'warning' : ''}>
          {shortText(queued)}
        </span>,
        limit === undefined ? '' : shortText(limit),
        limit === undefined ? '' : <Bar key="bar" share={executing / limit} />,
      ])}
      none="The replicas do not divide requests into flows."
    />
  );
}

export function Watches({ watches }: { readonly watches: readonly NamedCount[] }) {
  const all = watches.reduce((sum, { count }) => sum + count, 0);
  const most = watches[0]?.count ?? 1;
  return (
    <>
      <p class="quiet">
        {shortText(all)} on all replicas together
        {watches.length > MOST_LINES && `; the ${MOST_LINES} kinds with most of them`}.
      </p>
      <DataTable
        label="Open watches by resource"
        columns={[{ name: 'Resource' }, number('Watches'), { name: 'As a bar' }]}
        rows={watches
          .slice(0, MOST_LINES)
          .map(({ name, count }) => [name, shortText(count), <Bar key="bar" share={count / most} />])}
        none="There are none."
      />
    </>
  );
}

export function Caches({ state }: { readonly state: ControlPlane }) {
  return (
    <>
      {state.isStorageFull && (
        <p class="failed" role="alert">
          etcd is full: it takes deletions only. Delete objects, compact and defragment it, or raise its quota.
        </p>
      )}
      <DataTable
        label="Caches of the replicas"
        columns={[
          { name: 'Replica' },
          number('Revision of its cache'),
          number('Behind etcd'),
          number('Confirmed before'),
          number('Memory of objects'),
        ]}
        rows={state.caches.map(({ address, frontier, behind, unconfirmedSeconds, bytes }) => [
          address,
          String(frontier),
          <span key="behind" class={behind > 0 ? 'warning' : 'ok'}>
            {behind === 0 ? 'not' : `${shortText(behind)} revisions`}
          </span>,
          unconfirmedSeconds === undefined ? '' : secondsText(unconfirmedSeconds),
          bytes === undefined ? '' : bytesText(bytes),
        ])}
        none="The replicas do not say how far their caches are."
      />
      <DataTable
        label="Members of etcd"
        columns={[{ name: 'Member of etcd' }, number('Size of its database')]}
        rows={state.etcd.map(({ endpoint, bytes }) => [endpoint, bytesText(bytes)])}
        none="The replicas do not say the size of etcd (yet: they ask it now and then)."
      />
    </>
  );
}
