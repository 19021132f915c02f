import { FlagError } from './errors.ts';
import { type Flag, Flags, mistakeIn } from './flag.ts';

/** A command line, split into flags and other words. */
export interface ParsedLine {
  readonly flags: Flags;
  readonly args: readonly string[];
  /** The number of `args` before `--`. Undefined means that there was no `--`. */
  readonly beforeDash: number | undefined;
  /** Whether the line asks for help. */
  readonly help: boolean;
}

/** Whether a flag does not use the next word as its value. */
function standsAlone(flag: Flag): boolean {
  return flag.type === 'bool' || flag.optional !== undefined;
}

/**
 * Parses flags written as `--name=value`, `--name value`, `-x value`, `-xvalue`, `-x=value` or `-abc`. Flags may be
 * between arguments. All words after `--` are arguments.
 * @throws FlagError for a flag that does not exist, or for a wrong value
 */
export function parseFlags(declared: readonly Flag[], words: readonly string[]): ParsedLine {
  const byName = new Map(declared.map((flag) => [flag.name, flag]));
  const byShort = new Map(declared.flatMap((flag) => (flag.short === undefined ? [] : [[flag.short, flag]])));
  const given = new Map<string, string[]>();
  const inOrder: [string, string][] = [];
  const args: string[] = [];
  let beforeDash: number | undefined;
  let help = false;

  const set = (flag: Flag, text: string): void => {
    const mistake = mistakeIn(flag, text);
    if (mistake !== undefined) {
      const shown = flag.short === undefined ? `--${flag.name}` : `-${flag.short}, --${flag.name}`;
      throw new FlagError(`invalid argument ${JSON.stringify(text)} for "${shown}" flag: ${mistake}`);
    }
    inOrder.push([flag.name, text]);
    const list = given.get(flag.name);
    if (list === undefined) given.set(flag.name, [text]);
    else list.push(text);
  };
  const alone = (flag: Flag) => flag.optional ?? 'true';

  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '--') {
      beforeDash = args.length;
      args.push(...words.slice(at + 1));
      break;
    }
    if (word.startsWith('--')) {
      const equals = word.indexOf('=');
      const name = equals < 0 ? word.slice(2) : word.slice(2, equals);
      if (name === '' || name.startsWith('-')) throw new FlagError(`bad flag syntax: ${word}`);
      const flag = byName.get(name);
      if (name === 'help' && flag === undefined) {
        help = equals < 0 || !['false', '0', 'f'].includes(word.slice(equals + 1));
        continue;
      }
      if (flag === undefined) throw new FlagError(`unknown flag: --${name}`);
      if (equals >= 0) set(flag, word.slice(equals + 1));
      else if (standsAlone(flag)) set(flag, alone(flag));
      else if (at + 1 < words.length) set(flag, words[++at]!);
      else throw new FlagError(`flag needs an argument: --${name}`);
      continue;
    }
    if (!word.startsWith('-') || word === '-') {
      args.push(word);
      continue;
    }
    for (let rest = word.slice(1); rest !== ''; ) {
      const letter = rest[0]!;
      const flag = byShort.get(letter);
      if (flag === undefined) {
        if (letter === 'h') {
          help = true;
          rest = rest.slice(1);
          continue;
        }
        throw new FlagError(`unknown shorthand flag: '${letter}' in -${rest}`);
      }
      if (rest.length > 2 && rest[1] === '=') {
        set(flag, rest.slice(2));
        break;
      }
      if (standsAlone(flag)) {
        set(flag, alone(flag));
        rest = rest.slice(1);
        continue;
      }
      if (rest.length > 1) set(flag, rest.slice(1));
      else if (at + 1 < words.length) set(flag, words[++at]!);
      else throw new FlagError(`flag needs an argument: '${letter}' in -${rest}`);
      break;
    }
  }
  return { flags: new Flags(declared, given, inOrder), args, beforeDash, help };
}

/**
 * The index of the first word that is neither a flag nor the value of a flag. It is -1 if there is none. Only the
 * declared flags are known.
 */
export function findArgument(declared: readonly Flag[], words: readonly string[]): number {
  const takesWord = (flag: Flag | undefined) => flag === undefined || !standsAlone(flag);
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '--') return -1;
    if (word.startsWith('--')) {
      if (!word.includes('=') && word !== '--help' && takesWord(declared.find(({ name }) => name === word.slice(2))))
        at++;
    } else if (word.startsWith('-') && word.length > 1) {
      const flag = declared.find(({ short }) => short === word[1]);
      if (word.length === 2 && word !== '-h' && takesWord(flag)) at++;
    } else return at;
  }
  return -1;
}
