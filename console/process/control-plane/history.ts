import type { Plotted } from '../../protocol/control-plane.ts';
import { allDurations, type Span } from './summary.ts';
import { totalOf, type Watched } from './watched.ts';

/** The largest number of times in a plot. */
const MOST_TIMES = 61;

/** The values of plots at one moment. */
interface Moment {
  readonly at: number;
  /** Requests per second by replica; a replica that was not read is absent. */
  readonly rates: ReadonlyMap<string, number>;
  readonly p50: number | null;
  readonly p99: number | null;
  readonly executing: number | null;
  readonly queued: number | null;
}

/** The data of plots: one moment for each reading of the processes. */
export class History {
  readonly #moments: Moment[] = [];

  /** Adds a moment from the present and the previous readings of the replicas. */
  add(at: number, replicas: readonly Watched[]): void {
    const spans = replicas.flatMap(({ address, latest, readings }): Span[] =>
      latest === undefined ? [] : [{ address, now: latest, before: readings.at(-2) }],
    );
    const grown = spans.filter(({ before }) => before !== undefined);
    const rates = new Map(grown.map((span) => [span.address, rateOf(span)]));
    const all = grown.length === 0 ? undefined : allDurations(grown);
    const gauge = (family: string) =>
      spans.length === 0 ? null : spans.reduce((sum, { now }) => sum + (totalOf(now, family) ?? 0), 0);
    this.#moments.push({
      at,
      rates,
      p50: all?.p50 ?? null,
      p99: all?.p99 ?? null,
      executing: gauge('apiserver_flowcontrol_current_executing_requests'),
      queued: gauge('apiserver_flowcontrol_current_inqueue_requests'),
    });
    if (this.#moments.length > MOST_TIMES) this.#moments.shift();
  }

  clear(): void {
    this.#moments.length = 0;
  }

  get requestRate(): Plotted {
    const addresses = [...new Set(this.#moments.flatMap(({ rates }) => [...rates.keys()]))].sort();
    return this.#plotted(addresses.map((address) => [address, ({ rates }) => rates.get(address) ?? null]));
  }

  get durations(): Plotted {
    return this.#plotted([
      ['half of all', ({ p50 }) => p50],
      ['99 of 100', ({ p99 }) => p99],
    ]);
  }

  get inFlight(): Plotted {
    return this.#plotted([
      ['under way', ({ executing }) => executing],
      ['wait', ({ queued }) => queued],
    ]);
  }

  #plotted(lines: readonly [name: string, value: (moment: Moment) => number | null][]): Plotted {
    return {
      times: this.#moments.map(({ at }) => at),
      lines: lines.map(([name, value]) => ({ name, values: this.#moments.map(value) })),
    };
  }
}

function rateOf({ now, before }: Span): number {
  const total = (one: typeof now) => totalOf(one, 'apiserver_request_total') ?? 0;
  return Math.max(0, ((total(now) - total(before!)) * 1000) / Math.max(1, now.at - before!.at));
}
