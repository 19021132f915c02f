import { type AllowedValues, Counter, type Family, Gauge, Histogram, Summary } from './family.ts';
import type { FamilyDefinition, FamilyValues } from './family-definition.ts';
import { type FamilyName, familyTable, type LabelOf, type NameOf } from './family-table.ts';
import { lifeStage, type Release, shownHelp } from './life-cycle.ts';

/** What an operator does not want to see of the metrics. */
export interface MetricLimits {
  /** Names of metrics that are not shown. */
  readonly disabled: readonly string[];
  /** The values that a label of a metric may have, by metric and label. */
  readonly allowedValues: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
  /** Whether those are shown whose time is over (`--show-hidden-metrics-for-version`). */
  readonly showsHidden?: boolean;
}

/** What makes the metrics of one server. */
export interface MetricSetOptions {
  readonly limits?: MetricLimits;
  readonly release?: Release;
  /** The families that there are. */
  readonly table?: ReadonlyMap<string, FamilyDefinition>;
  /** Puts names and texts into the words of the installation. */
  readonly translate?: (text: string) => string;
  /** Told once of each family whose end has been announced. */
  readonly warn?: (text: string) => void;
}

const NO_LIMITS: MetricLimits = { disabled: [], allowedValues: new Map() };

/** Shows the release in which nothing is deprecated. */
const ANY: Release = { major: '1', minor: '0' };

type AnyFamily = Family<string, unknown>;

/**
 * The metrics of one process. Whoever counts something takes its family from here by its name in the table; families
 * that are not to be shown (disabled, hidden) count all the same, and nobody sees it.
 */
export class MetricSet {
  readonly #limits: MetricLimits;
  readonly #release: Release;
  readonly #translate: (text: string) => string;
  readonly #warn: (text: string) => void;
  readonly #table: ReadonlyMap<string, FamilyDefinition>;
  readonly #made = new Map<string, AnyFamily>();
  readonly #shown = new Map<string, AnyFamily>();

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

  /** `collect` is called before the family is shown, to bring it up to date. */
  gauge<Name extends NameOf<'gauge'>>(
    name: Name,
    collect?: (gauge: Gauge<LabelOf<Name>>) => void,
  ): Gauge<LabelOf<Name>> {
    return this.#family(name, (definition, allowed) => new Gauge(definition, allowed, collect)) as Gauge<LabelOf<Name>>;
  }

  /** A counter that somebody else keeps: `read` is asked when it is to be shown. */
  counted<Name extends NameOf<'counter'>>(name: Name, read: (counter: Counter<LabelOf<Name>>) => void): void {
    this.#family(name, (definition, allowed) => new Counter(definition, allowed, read));
  }

  /** `collect` is called before the family is shown, to bring it up to date. */
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

  /** Everything that is shown, in the order of the names. */
  values(): FamilyValues[] {
    return [...this.inTurn()];
  }

  /** {@link values} one after the other, each as it is when it is asked for. */
  *inTurn(): Generator<FamilyValues, void, void> {
    for (const name of [...this.#shown.keys()].sort()) yield this.#shown.get(name)!.values();
  }

  /** Who asks twice for a name gets the same family, so that several may count in it. */
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
    if (this.#mayShow(shown)) this.#shown.set(name, family);
    return family;
  }

  #mayShow(definition: FamilyDefinition): boolean {
    const stage = lifeStage(definition, this.#release);
    if (this.#limits.disabled.includes(definition.name)) return false;
    if (stage === 'deleted' || (stage === 'hidden' && this.#limits.showsHidden !== true)) return false;
    if (stage !== 'current') this.#warn(`Metric ${definition.name} is deprecated since ${definition.deprecatedSince}.`);
    return true;
  }
}
