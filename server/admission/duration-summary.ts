import { type MetricObjectWithValues, type MetricValueWithName, Summary } from 'prom-client';

const QUANTILES = [0.5, 0.9, 0.99];
/** Durations are counted in steps of 4 %, from a microsecond to minutes. */
const GROWTH = Math.log(1.04);
const SMALLEST = 1e-6;
const STEPS = 480;
/** The quantiles are of the last 2.5 to 5 hours. */
const AGE_MS = 2.5 * 60 * 60 * 1000;

interface Series {
  readonly labels: Record<string, string>;
  recent: Uint32Array;
  older: Uint32Array;
  since: number;
  sum: number;
  count: number;
}

function stepOf(seconds: number): number {
  if (seconds <= SMALLEST) return 0;
  return Math.min(STEPS - 1, Math.ceil(Math.log(seconds / SMALLEST) / GROWTH));
}

/** The duration, in seconds, that a share of what was counted does not exceed; NaN of nothing. */
function quantile({ recent, older }: Series, share: number): number {
  let total = 0;
  for (let i = 0; i < STEPS; i++) total += recent[i]! + older[i]!;
  if (total === 0) return Number.NaN;
  let left = share * total;
  for (let i = 0; i < STEPS; i++) {
    left -= recent[i]! + older[i]!;
    if (left <= 0) return SMALLEST * Math.exp(i * GROWTH);
  }
  return Number.NaN;
}

/**
 * A summary of durations with few, known series, exact to 4 %. Observing is a logarithm and a few additions;
 * a digest of samples costs a hundred times that.
 */
export class DurationSummary extends Summary {
  readonly #series = new Map<string, Series>();
  readonly #now: () => number;

  constructor(options: { name: string; help: string; labelNames: string[] }, now = () => performance.now()) {
    super({ ...options, registers: [] });
    this.#now = now;
  }

  /** The timer of the series with these labels, which appears when it is first used. */
  timer(labels: Record<string, string>): (seconds: number) => void {
    let series: Series | undefined;
    return (seconds) => {
      series ??= this.#seriesOf(labels);
      series.recent[stepOf(seconds)]!++;
      series.sum += seconds;
      series.count++;
    };
  }

  #seriesOf(labels: Record<string, string>): Series {
    const key = Object.values(labels).join('/');
    let series = this.#series.get(key);
    if (series === undefined) {
      const [recent, older] = [new Uint32Array(STEPS), new Uint32Array(STEPS)];
      series = { labels, recent, older, since: this.#now(), sum: 0, count: 0 };
      this.#series.set(key, series);
    }
    return series;
  }

  #age(series: Series): void {
    const now = this.#now();
    const ages = Math.floor((now - series.since) / AGE_MS);
    if (ages === 0) return;
    series.older = ages === 1 ? series.recent : new Uint32Array(STEPS);
    series.recent = new Uint32Array(STEPS);
    series.since = now;
  }

  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const described = await super.get();
    const { name } = described;
    const values: MetricValueWithName<string>[] = [];
    for (const series of this.#series.values()) {
      this.#age(series);
      const { labels, sum, count } = series;
      for (const share of QUANTILES) {
        values.push({ labels: { ...labels, quantile: share }, value: quantile(series, share), metricName: name });
      }
      values.push({ labels, value: sum, metricName: `${name}_sum` });
      values.push({ labels, value: count, metricName: `${name}_count` });
    }
    return { ...described, values };
  }
}
