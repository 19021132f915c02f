/** One line of `known-differences.txt`. */
export interface KnownDifference {
  /** `naming/area/scenario`, or the beginning of the names of whole areas. */
  readonly subject: string;
  readonly reason: string;
}

/** How the reason of a scenario begins that may also pass, since the difference depends on bytes without meaning. */
const BY_CHANCE = 'by chance: ';

/** The line that the second part begins with. */
const MEANT = '# Meant';

/** One part of the file: comments at its start, then one difference per line. */
interface Part {
  readonly comments: readonly string[];
  readonly areas: readonly KnownDifference[];
  /** Reasons by the name of the scenario. */
  readonly scenarios: ReadonlyMap<string, string>;
}

/**
 * The scenarios whose answers are known to differ from the recording. The first part lists those that are not mended
 * yet; it only gets shorter. The second part lists differences that are intended.
 */
export class KnownDifferences {
  readonly #open: Part;
  readonly #meant: Part | undefined;

  private constructor(open: Part, meant: Part | undefined) {
    this.#open = open;
    this.#meant = meant;
  }

  /**
   * Reads the text of the file: one difference a line, its reason after the first space; the second part after `#
   * Meant`.
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

  /** Why a whole area is not opened yet; undefined when it is. */
  areaReason(area: string): string | undefined {
    return this.#open.areas.find(({ subject }) => area.startsWith(subject))?.reason;
  }

  /** Why a scenario `naming/area/scenario` may differ; undefined when it must not. */
  scenarioReason(scenario: string): string | undefined {
    return this.#open.scenarios.get(scenario) ?? this.#meant?.scenarios.get(scenario);
  }

  /** Whether a scenario must differ, because it is listed and does not pass by chance. */
  mustDiffer(scenario: string): boolean {
    return this.scenarioReason(scenario)?.startsWith(BY_CHANCE) === false;
  }

  /**
   * The list after a run. For scenarios in the run, it contains exactly those that differed; other scenarios stay
   * unchanged.
   * @param run what each scenario that was run differed in, which becomes the reason of new ones; undefined when it
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

/** The lines of a part: comments, areas and scenarios, as far as there are any. */
function blocks({ comments, areas, scenarios }: Part): string[] {
  const wholes = areas.map(({ subject, reason }) => `${subject}  ${reason}`);
  const singles = [...scenarios].map(([scenario, reason]) => `${scenario}  ${reason}`);
  return [comments, wholes, singles].filter((block) => block.length > 0).map((block) => `${block.join('\n')}\n`);
}
