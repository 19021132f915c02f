/** How much clients may rely on a family. A stable family is announced as deprecated long before it is removed. */
export type Stability = 'ALPHA' | 'BETA' | 'STABLE';

/** How the values of several processes become the value of one server. Counters and histograms are always added. */
export type Join = 'sum' | 'min' | 'max' | 'first';

/** The description of a family of series. */
export interface FamilyDefinition {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  /** The labels in alphabetical order, as in the output. */
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram, except the last bucket, which has no bound. */
  readonly buckets?: readonly number[];
  /** The stability. Absent for the families of the process itself. */
  readonly stability?: Stability;
  /** The release (`1.22`) that announced the end of the family. See life-cycle.ts. */
  readonly deprecatedSince?: string;
  /** `sum` by default. */
  readonly join?: Join;
}

/** A family in the output: its name and help in the words of the installation. */
export type ShownFamily = Pick<FamilyDefinition, 'name' | 'type' | 'help' | 'buckets' | 'join'> & {
  readonly labels: readonly string[];
};

/** The values of one series: see {@link FamilyValues}. */
export type SeriesValues = readonly [labelValues: readonly string[], numbers: readonly number[]];

/**
 * The values of a family at one moment, in a form that passes between processes. A counter or gauge has one number, its
 * value. A histogram has the count of each single bucket (the last bucket has no bound), then the sum. A summary has
 * the sum, the count, and the known {@link QUANTILES}.
 */
export interface FamilyValues {
  readonly family: ShownFamily;
  readonly series: readonly SeriesValues[];
}

/** The quantiles that summaries show. */
export const QUANTILES = [0.5, 0.9, 0.99] as const;
