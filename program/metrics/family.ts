import { type FamilyDefinition, type FamilyValues, QUANTILES, type SeriesValues } from './family-definition.ts';
import { QuantileSketch } from './quantile-sketch.ts';

/** The label value that replaces all values that are not shown. */
export const UNEXPECTED = 'unexpected';

/**
 * The largest number of series of a family. Further series are counted together. Names of resources come from
 * definitions, and names of webhooks from configurations. A user who creates many of them must not use up memory here.
 */
const MOST_SERIES = 10_000;

/** The largest number of characters of a label value. A longer value is cut. */
const LONGEST_VALUE = 256;

/** The values of some labels that the output shows unchanged, by label. */
export type AllowedValues = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The series of a family by their labels. Code that counts often keeps its series: finding a series joins its labels to
 * a key, but counting is only an addition.
 */
export abstract class Family<Label extends string, Series> {
  readonly definition: FamilyDefinition;
  readonly #labels: readonly Label[];
  readonly #series = new Map<string, readonly [labelValues: readonly string[], series: Series]>();
  /** The keys in order, until a key is added. */
  #order: readonly string[] = [];
  readonly #allowed: readonly (ReadonlySet<string> | undefined)[];
  readonly #collect: ((family: this) => void) | undefined;

  /** `collect` updates the series before each output. */
  constructor(definition: FamilyDefinition, allowed?: AllowedValues, collect?: (family: never) => void) {
    this.definition = definition;
    this.#labels = (definition.labels ?? []) as readonly Label[];
    this.#allowed = this.#labels.map((label) => allowed?.get(label));
    this.#collect = collect as ((family: this) => void) | undefined;
    if (this.#labels.length === 0) this.of({} as Readonly<Record<Label, string>>);
  }

  protected abstract make(): Series;
  protected abstract numbers(series: Series): readonly number[];

  /** The series with these values of the labels; the output contains it from now on. */
  of(labels: Readonly<Record<Label, string>>): Series {
    return this.#find(this.#labels.map((label, i) => this.#shown(labels[label], this.#allowed[i])));
  }

  #find(values: readonly string[]): Series {
    const key = values.join('\0');
    const known = this.#series.get(key);
    if (known !== undefined) return known[1];
    if (this.#series.size >= MOST_SERIES && values.some((value) => value !== UNEXPECTED))
      return this.#find(values.map(() => UNEXPECTED));
    const series = this.make();
    this.#series.set(key, [values, series]);
    return series;
  }

  #shown(value: string, allowed: ReadonlySet<string> | undefined): string {
    if (allowed !== undefined && !allowed.has(value)) return UNEXPECTED;
    return value.length > LONGEST_VALUE ? value.slice(0, LONGEST_VALUE) : value;
  }

  /** Removes all series, for families whose labels name temporary objects. */
  clear(): void {
    this.#series.clear();
    this.#order = [];
  }

  /** The current values, with name and help as declared. */
  values(): FamilyValues {
    this.#collect?.(this);
    const { name, type, help, labels = [], buckets, join } = this.definition;
    const series: SeriesValues[] = [];
    if (this.#order.length !== this.#series.size) this.#order = [...this.#series.keys()].sort();
    for (const key of this.#order) {
      const [labelValues, one] = this.#series.get(key)!;
      series.push([labelValues, this.numbers(one)]);
    }
    const family = { name, type, help, labels, ...(buckets && { buckets }), ...(join && { join }) };
    return { family, series };
  }
}

/** A number that only grows. */
export class CountSeries {
  value = 0;

  inc(by = 1): void {
    this.value += by;
  }
}

/** A family of counters. */
export class Counter<Label extends string = string> extends Family<Label, CountSeries> {
  protected override make(): CountSeries {
    return new CountSeries();
  }

  protected override numbers({ value }: CountSeries): readonly number[] {
    return [value];
  }

  inc(labels: Readonly<Record<Label, string>>, by = 1): void {
    this.of(labels).inc(by);
  }
}

/** A number that goes up and down. */
export class GaugeSeries extends CountSeries {
  dec(by = 1): void {
    this.value -= by;
  }

  set(value: number): void {
    this.value = value;
  }
}

/** A family of gauges. */
export class Gauge<Label extends string = string> extends Family<Label, GaugeSeries> {
  protected override make(): GaugeSeries {
    return new GaugeSeries();
  }

  protected override numbers({ value }: GaugeSeries): readonly number[] {
    return [value];
  }

  set(labels: Readonly<Record<Label, string>>, value: number): void {
    this.of(labels).set(value);
  }
}

/** Observations that are counted by size. */
export class HistogramSeries {
  readonly #bounds: readonly number[];
  /** The counts by bound, the last one without a bound. After them comes the sum. */
  readonly numbers: Float64Array;
  /** The bucket of the last observation. The next observation often belongs to it too. */
  #last = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.numbers = new Float64Array(bounds.length + 2);
  }

  /** `times` says how often the same value was observed. */
  observe(value: number, times = 1): void {
    const bounds = this.#bounds;
    let at = this.#last;
    if (at > 0 && value <= bounds[at - 1]!) at = 0;
    while (at < bounds.length && value > bounds[at]!) at++;
    this.#last = at;
    this.numbers[at]! += times;
    this.numbers[bounds.length + 1]! += value * times;
  }
}

/** A family of histograms. */
export class Histogram<Label extends string = string> extends Family<Label, HistogramSeries> {
  protected override make(): HistogramSeries {
    return new HistogramSeries(this.definition.buckets ?? []);
  }

  protected override numbers({ numbers }: HistogramSeries): readonly number[] {
    // This loop is ten times as fast as an iterator of the typed array, and there are thousands of series.
    const copy: number[] = [];
    for (let i = 0; i < numbers.length; i++) copy.push(numbers[i]!);
    return copy;
  }

  observe(labels: Readonly<Record<Label, string>>, value: number): void {
    this.of(labels).observe(value);
  }
}

/** A family of summaries of durations. */
export class Summary<Label extends string = string> extends Family<Label, QuantileSketch> {
  protected override make(): QuantileSketch {
    return new QuantileSketch();
  }

  protected override numbers(series: QuantileSketch): readonly number[] {
    return [series.sum, series.count, ...QUANTILES.map((share) => series.quantile(share))];
  }
}
