import { parseDuration as parseValue } from '../../server/schema/values/duration.ts';

/**
 * What a flag takes: `strings` are split at commas, `texts` are not; both may be repeated. `duration` is text like `1m30s`
 * that is checked. `optional` flags have a value that counts where the flag stands alone (`--dry-run`), and then never
 * take the next word.
 */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly type: 'bool' | 'string' | 'int' | 'duration' | 'strings' | 'texts';
  readonly default?: string | boolean | number;
  /** Its value where the flag stands alone. */
  readonly optional?: string;
  readonly help: string;
  /** Left out of the help. */
  readonly hidden?: true;
}

/** Flags as they were given; what was not given has its default. Asking for a flag that was not declared throws. */
export class Flags {
  readonly #declared: ReadonlyMap<string, Flag>;
  readonly #given: ReadonlyMap<string, readonly string[]>;

  constructor(declared: readonly Flag[], given: ReadonlyMap<string, readonly string[]>) {
    this.#declared = new Map(declared.map((flag) => [flag.name, flag]));
    this.#given = given;
  }

  /** Whether it was given, be it with its default. */
  has(name: string): boolean {
    this.#flag(name);
    return this.#given.has(name);
  }

  /** The same, as if these had not been given. */
  without(names: readonly string[]): Flags {
    const given = [...this.#given].filter(([name]) => !names.includes(name));
    return new Flags([...this.#declared.values()], new Map(given));
  }

  /** Whether the command has such a flag. */
  knows(name: string): boolean {
    return this.#declared.has(name);
  }

  bool(name: string): boolean {
    const text = this.#last(name);
    return text === undefined ? this.#flag(name).default === true : isTrue(text);
  }

  /** '' where neither given nor defaulted. */
  text(name: string): string {
    return this.#last(name) ?? String(this.#flag(name).default ?? '');
  }

  int(name: string): number {
    return Number(this.#last(name) ?? this.#flag(name).default ?? 0);
  }

  /** Milliseconds. */
  duration(name: string): number {
    return parseDuration(this.text(name) || '0') ?? 0;
  }

  list(name: string): readonly string[] {
    const flag = this.#flag(name);
    const given = this.#given.get(name) ?? [];
    return flag.type === 'strings' ? given.flatMap((text) => (text === '' ? [] : text.split(','))) : given;
  }

  #last(name: string): string | undefined {
    this.#flag(name);
    return this.#given.get(name)?.at(-1);
  }

  #flag(name: string): Flag {
    const flag = this.#declared.get(name);
    if (flag === undefined) throw new Error(`the command has no flag --${name}`);
    return flag;
  }
}

const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

function isTrue(text: string): boolean {
  return TRUE.includes(text);
}

/** Milliseconds of a text such as `1h2m3.5s`; undefined where it is none. */
export function parseDuration(text: string): number | undefined {
  try {
    return parseValue(text);
  } catch {
    return undefined;
  }
}

function durationMistake(text: string): string | undefined {
  try {
    parseValue(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What is wrong with a flag's value, in the words that users of the field's clients know; undefined where nothing is. */
export function mistakeIn(flag: Flag, text: string): string | undefined {
  switch (flag.type) {
    case 'bool':
      if (isTrue(text) || FALSE.includes(text)) return undefined;
      return `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;
    case 'int':
      if (/^[+-]?\d+$/.test(text)) return undefined;
      return `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`;
    case 'duration':
      return durationMistake(text);
    default:
      return undefined;
  }
}
