/** One line of `known-differences.txt`. */
export interface KnownDifference {
  /** The name `naming/area/scenario`, or the beginning of the names of whole areas. */
  readonly subject: string;
  readonly reason: string;
}

/**
 * The beginning of the reason of a scenario that may also pass, because the difference depends on bytes without
 * meaning.
 */
const BY_CHANCE = 'by chance: ';

/** The line with which the second part begins. */
const MEANT = '# Meant';

/** One part of the file. It has comments at its start, and then one difference per line. */
interface Part {
  readonly comments: readonly string[];
  readonly areas: readonly KnownDifference[];
  /** The reasons by the names of the scenarios. */
  readonly scenarios: ReadonlyMap<string, string>;
}

/**
 * The scenarios whose answers are known to differ from the recording. The first part lists those that are not mended
 * yet. It must only become shorter. The second part lists intended differences.
 */
export class KnownDifferences {
  readonly #open: Part;
  readonly #meant: Part | undefined;

  private constructor(open: Part, meant: Part | undefined) {
    this.#open = open;
    this.#meant = meant;
  }

  /**
   * Parses the text of the file. Each line has one difference, with its reason after the first space. The second part
   * follows `# Meant`.
   */
  static parse(text: string): KnownDifferences {
    const lines = text.split('\n').map((line) => line.trimEnd());
    const second = lines.indexOf(MEANT);
    if (second === -1) return new KnownDifferences(KnownDifferences.#part(lines), undefined);
    const [open, meant] = [lines.slice(0, second), lines.slice(second)].map((part) => KnownDifferences.#part(part));
    for (const scenario of meant!.scenarios.keys())
      if (open!.scenarios.has(scenario)) throw new Error(`known differences: ${scenario} is listed twice`);
    if (meant!.areas.length > 0) throw new Error('known differences: only single scenarios can be meant to differ');
    return new KnownDifferences(open!, meant);
  }

  static #part(lines: readonly string[]): Part {
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
    return { comments: lines.filter((line) => line.startsWith('#')), areas, scenarios };
  }

  /** The reason why a whole area is not tested yet. Undefined when it is tested. */
  areaReason(area: string): string | undefined {
    return this.#open.areas.find(({ subject }) => area.startsWith(subject))?.reason;
  }

  /** The reason why a scenario `naming/area/scenario` may differ. Undefined when it must not differ. */
  scenarioReason(scenario: string): string | undefined {
    return this.#open.scenarios.get(scenario) ?? this.#meant?.scenarios.get(scenario);
  }

  /** Whether a scenario must differ, because it is listed and does not pass by chance. */
  mustDiffer(scenario: string): boolean {
    return this.scenarioReason(scenario)?.startsWith(BY_CHANCE) === false;
  }

  /**
   * The list after a run. It contains exactly those scenarios of the run that differed. Other scenarios stay unchanged.
   * @param run the difference of each scenario of the run, which becomes the reason of new entries, or undefined if it
   * passed
   */
  after(run: ReadonlyMap<string, string | undefined>): KnownDifferences {
    const untouched = (part: Part) => [...part.scenarios].filter(([scenario]) => !run.has(scenario));
    const open = untouched(this.#open);
    const meant = this.#meant === undefined ? [] : untouched(this.#meant);
    for (const [scenario, difference] of run) {
      if (difference === undefined) continue;
      const reason = this.#meant?.scenarios.get(scenario);
      if (reason !== undefined) meant.push([scenario, reason]);
      else open.push([scenario, this.#open.scenarios.get(scenario) ?? difference]);
    }
    return new KnownDifferences(
      { ...this.#open, scenarios: sorted(open) },
      this.#meant && { ...this.#meant, scenarios: sorted(meant) },
    );
  }

  toString(): string {
    return [this.#open, ...(this.#meant === undefined ? [] : [this.#meant])].flatMap(blocks).join('\n');
  }
}

function sorted(scenarios: readonly [string, string][]): ReadonlyMap<string, string> {
  return new Map([...scenarios].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The existing lines of a part, which are comments, areas and scenarios. */
function blocks({ comments, areas, scenarios }: Part): string[] {
  const wholes = areas.map(({ subject, reason }) => `${subject}  ${reason}`);
  const singles = [...scenarios].map(([scenario, reason]) => `${scenario}  ${reason}`);
  return [comments, wholes, singles].filter((block) => block.length > 0).map((block) => `${block.join('\n')}\n`);
}
