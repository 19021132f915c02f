import { type Aggregator, Registry } from 'prom-client';
import { table } from '#base/collections/own-properties.ts';
import { type AllowedValues, Counter, type Family, Gauge, Histogram, Summary } from './family.ts';
import { FamilyCollector } from './family-collector.ts';
import type { FamilyDefinition, FamilyValues, Join } from './family-definition.ts';
import { type FamilyName, familyTable, type LabelOf, type NameOf } from './family-table.ts';
import { lifeStage, type Release, shownHelp } from './life-cycle.ts';
import { familyValues, type PromClientValues } from './prom-client-values.ts';

/** The limits that an operator sets for metrics. */
export interface MetricLimits {
  /** Names of metrics that are not shown. */
  readonly disabled: readonly string[];
  /** The values that a label of a metric may have, by metric and label. */
  readonly allowedValues: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
  /** Whether families after their last release are shown (`--show-hidden-metrics-for-version`). */
  readonly showsHidden?: boolean;
}

/** The inputs for the metrics of one server. */
export interface MetricSetOptions {
  readonly limits?: MetricLimits;
  readonly release?: Release;
  /** All families. */
  readonly table?: ReadonlyMap<string, FamilyDefinition>;
  /** Translates names and texts into the words of the installation. */
  readonly translate?: (text: string) => string;
  /** Called once for each family that is deprecated, with a warning. */
  readonly warn?: (text: string) => void;
}

const NO_LIMITS: MetricLimits = { disabled: [], allowedValues: new Map() };

/** A release in which nothing is deprecated. */
const ANY: Release = { major: '1', minor: '0' };

type AnyFamily = Family<string, unknown>;

/**
 * How the values of several processes become one, by the name in prom-client. Averages are less useful than the worst
 * value.
 */
const JOINS: Readonly<Partial<Record<Aggregator, Join>>> = table({
  sum: 'sum',
  first: 'first',
  min: 'min',
  max: 'max',
  average: 'max',
});

/**
 * The metrics of one process. Code that counts gets its family from here, by its name in the table. Families that are
 * not shown (disabled, hidden) count too. The metrics of prom-client in the {@link registry} are shown together with
 * them.
 */
export class MetricSet {
  /**
   * All metrics as a registry of prom-client: the families of the table, and metrics that are registered here. The
   * registry's own text is one string. With many series, use {@link inTurn}.
   */
  readonly registry = new Registry();
  readonly #limits: MetricLimits;
  readonly #release: Release;
  readonly #translate: (text: string) => string;
  readonly #warn: (text: string) => void;
  readonly #table: ReadonlyMap<string, FamilyDefinition>;
  readonly #made = new Map<string, AnyFamily>();
  readonly #shown = new Map<string, AnyFamily>();
  /** The values of the prom-client metrics at their last collection. */
  #collected: ReadonlyMap<string, FamilyValues> = new Map();
  /** The presentation of a prom-client metric, by its name; undefined if it is not shown. */
  readonly #definitions = new Map<string, FamilyDefinition | undefined>();

  constructor(options: MetricSetOptions = {}) {
    this.#limits = options.limits ?? NO_LIMITS;
    this.#release = options.release ?? ANY;
    this.#table = options.table ?? familyTable;
    this.#translate = options.translate ?? ((text) => text);
    this.#warn = options.warn ?? (() => {});
  }

  counter<Name extends NameOf<'counter'>>(name: Name): Counter<LabelOf<Name>> {
    return this.#family(name, (definition, allowed) => new Counter(definition, allowed)) as Counter<LabelOf<Name>>;
  }

  /** `collect` is called before the output, to update the family. */
  gauge<Name extends NameOf<'gauge'>>(
    name: Name,
    collect?: (gauge: Gauge<LabelOf<Name>>) => void,
  ): Gauge<LabelOf<Name>> {
    return this.#family(name, (definition, allowed) => new Gauge(definition, allowed, collect)) as Gauge<LabelOf<Name>>;
  }

  /** A counter that other code keeps: the set calls `read` when it shows the value. */
  counted<Name extends NameOf<'counter'>>(name: Name, read: (counter: Counter<LabelOf<Name>>) => void): void {
    this.#family(name, (definition, allowed) => new Counter(definition, allowed, read));
  }

  /** `collect` is called before the output, to update the family. */
  histogram<Name extends NameOf<'histogram'>>(
    name: Name,
    collect?: (family: Histogram<LabelOf<Name>>) => void,
  ): Histogram<LabelOf<Name>> {
    const make = (definition: FamilyDefinition, allowed?: AllowedValues) => new Histogram(definition, allowed, collect);
    return this.#family(name, make) as Histogram<LabelOf<Name>>;
  }

  summary<Name extends NameOf<'summary'>>(name: Name): Summary<LabelOf<Name>> {
    return this.#family(name, (definition, allowed) => new Summary(definition, allowed)) as Summary<LabelOf<Name>>;
  }

  /** Also shows the metrics of another registry, except those whose names are already known. */
  include(registry: Registry): void {
    for (const { name } of registry.getMetricsAsArray())
      if (this.registry.getSingleMetric(name) === undefined)
        this.registry.registerMetric(registry.getSingleMetric(name)!);
  }

  /** Collects the values of all prom-client metrics together, because some of them set the values of others. */
  async collect(): Promise<void> {
    const asked: Promise<readonly [FamilyDefinition, PromClientValues] | undefined>[] = [];
    for (const { name } of this.registry.getMetricsAsArray()) {
      const metric = this.registry.getSingleMetric(name)!;
      if (!(metric instanceof FamilyCollector))
        asked.push(
          metric.get().then((values) => {
            const definition = this.#definitionOf(values);
            return definition && [definition, values];
          }),
        );
    }
    const read = (await Promise.all(asked)).filter((one) => one !== undefined);
    this.#collected = new Map(
      read.map(([definition, values]) => {
        const { name } = definition;
        return [name, familyValues(values, definition, this.#limits.allowedValues.get(name))];
      }),
    );
  }

  /** All metrics, in the order of their names. Metrics of prom-client have the values of their last collection. */
  values(): FamilyValues[] {
    return [...this.inTurn()];
  }

  /** The families of {@link values} one after the other, each with its current value. */
  *inTurn(): Generator<FamilyValues, void, void> {
    const names = new Set([...this.#shown.keys(), ...this.#collected.keys()]);
    for (const name of [...names].sort()) yield this.#shown.get(name)?.values() ?? this.#collected.get(name)!;
  }

  /** Returns the same family for the same name, so that several callers may count in it. */
  #family(
    neutral: FamilyName,
    make: (definition: FamilyDefinition, allowed: ReadonlyMap<string, ReadonlySet<string>> | undefined) => unknown,
  ): unknown {
    const known = this.#made.get(neutral);
    if (known !== undefined) return known;
    const definition = this.#table.get(neutral)!;
    const name = this.#translate(neutral);
    const shown = { ...definition, name, help: this.#translate(shownHelp(definition, this.#release)) };
    const family = make(shown, this.#limits.allowedValues.get(name)) as AnyFamily;
    this.#made.set(neutral, family);
    if (this.#mayShow(shown)) {
      this.#shown.set(name, family);
      this.registry.registerMetric(new FamilyCollector(family).metric);
    }
    return family;
  }

  /** The presentation of a prom-client metric: by the table, if it is listed there. */
  #definitionOf({ name: neutral, help, type, aggregator }: PromClientValues): FamilyDefinition | undefined {
    if (this.#definitions.has(neutral)) return this.#definitions.get(neutral);
    const known = this.#table.get(neutral);
    const own = { type: type as unknown as FamilyDefinition['type'], help, join: JOINS[aggregator] ?? 'sum' };
    const definition = known ?? { ...own, name: neutral };
    const name = this.#translate(neutral);
    const shown = { ...definition, name, help: this.#translate(shownHelp(definition, this.#release)) };
    const made = this.#mayShow(shown) ? shown : undefined;
    this.#definitions.set(neutral, made);
    return made;
  }

  #mayShow(definition: FamilyDefinition): boolean {
    const stage = lifeStage(definition, this.#release);
    if (this.#limits.disabled.includes(definition.name)) return false;
    if (stage === 'deleted' || (stage === 'hidden' && this.#limits.showsHidden !== true)) return false;
    if (stage !== 'current') this.#warn(`Metric ${definition.name} is deprecated since ${definition.deprecatedSince}.`);
    return true;
  }
}
