/** One line of `known-differences.txt`. */
export interface KnownDifference {
  /** `naming/area/scenario`, or the beginning of the names of whole areas. */
  readonly subject: string;
  readonly reason: string;
}

/** The list of scenarios that are known not to answer as recorded yet. It only ever shrinks. */
export class KnownDifferences {
  readonly #header: readonly string[];
  readonly #areas: readonly KnownDifference[];
  readonly #scenarios: ReadonlyMap<string, string>;

  private constructor(
    header: readonly string[],
    areas: readonly KnownDifference[],
    scenarios: ReadonlyMap<string, string>,
  ) {
    this.#header = header;
    this.#areas = areas;
    this.#scenarios = scenarios;
  }

  /** Reads the text of the file: comments at its top, then one difference a line, its reason after the first space. */
  static parse(text: string): KnownDifferences {
    const lines = text.split('\n').map((line) => line.trimEnd());
    const areas: KnownDifference[] = [];
    const scenarios = new Map<string, string>();
    for (const line of lines) {
      const [, subject, reason] = /^([^#\s]\S*)\s+(\S.*)$/.exec(line) ?? [];
      if (subject === undefined || reason === undefined) {
        if (line !== '' && !line.startsWith('#'))
          throw new Error(`known differences: a reason is missing in ${JSON.stringify(line)}`);
        continue;
      }
      if (!subject.includes('/')) areas.push({ subject, reason });
      else if (scenarios.has(subject)) throw new Error(`known differences: ${subject} is listed twice`);
      else scenarios.set(subject, reason);
    }
    return new KnownDifferences(
      lines.filter((line) => line.startsWith('#')),
      areas,
      scenarios,
    );
  }

  /** Why a whole area is not opened yet; undefined when it is. */
  areaReason(area: string): string | undefined {
    return this.#areas.find(({ subject }) => area.startsWith(subject))?.reason;
  }

  /** Why a scenario `naming/area/scenario` may differ; undefined when it must not. */
  scenarioReason(scenario: string): string | undefined {
    return this.#scenarios.get(scenario);
  }

  /**
   * The list after a run: of the scenarios that were run exactly those that differed, the others as they were.
   * @param run what each scenario that was run differed in, which becomes the reason of new ones; undefined when it passed
   */
  after(run: ReadonlyMap<string, string | undefined>): KnownDifferences {
    const scenarios = [...this.#scenarios].filter(([scenario]) => !run.has(scenario));
    for (const [scenario, difference] of run)
      if (difference !== undefined) scenarios.push([scenario, this.#scenarios.get(scenario) ?? difference]);
    return new KnownDifferences(this.#header, this.#areas, new Map(scenarios.sort(([a], [b]) => (a < b ? -1 : 1))));
  }

  toString(): string {
    const areas = this.#areas.map(({ subject, reason }) => `${subject}  ${reason}`);
    const scenarios = [...this.#scenarios].map(([scenario, reason]) => `${scenario}  ${reason}`);
    return [this.#header, areas, scenarios]
      .filter((part) => part.length > 0)
      .map((part) => `${part.join('\n')}\n`)
      .join('\n');
  }
}
