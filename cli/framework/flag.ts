import { parseDuration as parseValue } from '#schema/values/duration.ts';
import { mistakeInLevels } from './file-levels.ts';

/**
 * The types of flags. `strings` are split at commas, and `texts` are not. Both may be repeated. A `duration` is a text
 * like `1m30s` that is checked. `pairs` are `a=b,c=d`. A `map` is one pair, whose value may contain commas. `levels`
 * are `pattern=N,…`.
 */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly type: 'bool' | 'string' | 'int' | 'duration' | 'strings' | 'texts' | 'pairs' | 'map' | 'levels';
  /** The size of an `int` in bits, 64 by default. */
  readonly bits?: 32;
  readonly default?: string | boolean | number;
  /**
   * The value of the flag if it is given without a value (`--dry-run`). Such a flag never uses the next word as its
   * value.
   */
  readonly optional?: string;
  readonly help: string;
  /** Whether the help omits the flag. */
  readonly hidden?: true;
  /** The text that is shown if a user gives the flag. The help omits the flag. */
  readonly deprecated?: string;
}

/** The flags of a call. A flag that is not given has its default. Reading a flag that is not declared throws. */
export class Flags {
  readonly #declared: ReadonlyMap<string, Flag>;
  readonly #given: ReadonlyMap<string, readonly string[]>;
  /** The flags and values in their order on the line. */
  readonly inOrder: readonly (readonly [name: string, value: string])[];

  constructor(
    declared: readonly Flag[],
    given: ReadonlyMap<string, readonly string[]>,
    inOrder: readonly (readonly [name: string, value: string])[] = [],
  ) {
    this.#declared = new Map(declared.map((flag) => [flag.name, flag]));
    this.#given = given;
    this.inOrder = inOrder;
  }

  /** Whether the flag was given, even with its default value. */
  has(name: string): boolean {
    this.#flag(name);
    return this.#given.has(name);
  }

  /** The same flags, but without the named flags. */
  without(names: readonly string[]): Flags {
    const given = [...this.#given].filter(([name]) => !names.includes(name));
    const inOrder = this.inOrder.filter(([name]) => !names.includes(name));
    return new Flags([...this.#declared.values()], new Map(given), inOrder);
  }

  /** Whether the command declares the flag. */
  knows(name: string): boolean {
    return this.#declared.has(name);
  }

  bool(name: string): boolean {
    const text = this.#last(name);
    return text === undefined ? this.#flag(name).default === true : isTrue(text);
  }

  /** The text. It is '' if the flag is not given and has no default. */
  text(name: string): string {
    return this.#last(name) ?? String(this.#flag(name).default ?? '');
  }

  int(name: string): number {
    return Number(integerOf(String(this.#last(name) ?? this.#flag(name).default ?? 0)) ?? 0);
  }

  /** An integer that may be larger than a double can represent. */
  int64(name: string): bigint {
    return integerOf(String(this.#last(name) ?? this.#flag(name).default ?? 0)) ?? 0n;
  }

  /** The time in milliseconds. */
  duration(name: string): number {
    return parseDuration(this.text(name) || '0') ?? 0;
  }

  list(name: string): readonly string[] {
    const flag = this.#flag(name);
    const given = this.#given.get(name) ?? [];
    return flag.type === 'strings' ? given.flatMap((text) => (text === '' ? [] : text.split(','))) : given;
  }

  /** The given pairs, as an object. */
  pairs(name: string): Readonly<Record<string, string>> {
    this.#flag(name);
    const texts = (this.#given.get(name) ?? []).flatMap(pairsOf);
    return Object.fromEntries(texts.map(({ key, value = '' }) => [key, value]));
  }

  /** The pairs of a `map`. The last value of a key counts. */
  map(name: string): ReadonlyMap<string, string> {
    this.#flag(name);
    const texts = (this.#given.get(name) ?? []).flatMap(entriesOf);
    return new Map(texts.map(({ key, value = '' }) => [key, value]));
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

/** The boolean that a word means. Undefined for other words. */
export function truthOf(text: string): boolean | undefined {
  return isTrue(text) ? true : FALSE.includes(text) ? false : undefined;
}

/** The milliseconds of a text such as `1h2m3.5s`. Undefined if the text is not a duration. */
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

/**
 * An integer in the syntax of Go, such as `10`, `0x1f`, `0b11`, `0o17`, `017` or `1_000`. Undefined for other texts.
 */
function integerOf(text: string): bigint | undefined {
  const match = /^([+-]?)(0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0|[1-9](?:_?[0-9])*)$/.exec(text);
  if (match === null) return undefined;
  const digits = match[2]!.replaceAll('_', '');
  const size = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  return match[1] === '-' ? -size : size;
}

/** A key and its value. Undefined means that there is no value. */
interface Pair {
  readonly key: string;
  readonly value: string | undefined;
}

function pairsOf(text: string): Pair[] {
  return text
    .split(',')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      return at < 0
        ? { key: pair, value: undefined }
        : { key: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() };
    });
}

function entriesOf(text: string): Pair[] {
  const single = text.indexOf('=') === text.lastIndexOf('=');
  return (single ? [text.replaceAll(/^"+|"+$/g, '')] : text.split(',')).map((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? { key: pair, value: undefined } : { key: pair.slice(0, at), value: pair.slice(at + 1) };
  });
}

/** The error about a flag's value, in the words of the field's clients. Undefined if the value is correct. */
export function mistakeIn(flag: Flag, text: string): string | undefined {
  switch (flag.type) {
    case 'bool':
      if (truthOf(text) !== undefined) return undefined;
      return `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;
    case 'int':
      return integerMistake(text, flag.bits ?? 64);
    case 'pairs':
      return pairsOf(text).some(({ value }) => value === undefined)
        ? 'malformed pair, expect string=string'
        : undefined;
    case 'map': {
      const wrong = entriesOf(text).find(({ value }) => value === undefined);
      return wrong && `${wrong.key} must be formatted as key=value`;
    }
    case 'duration':
      return durationMistake(text);
    case 'levels':
      return mistakeInLevels(text);
    default:
      return undefined;
  }
}

function integerMistake(text: string, bits: number): string | undefined {
  const value = integerOf(text);
  const parsing = `strconv.ParseInt: parsing ${JSON.stringify(text)}`;
  if (value === undefined) return `${parsing}: invalid syntax`;
  return BigInt.asIntN(bits, value) === value ? undefined : `${parsing}: value out of range`;
}
