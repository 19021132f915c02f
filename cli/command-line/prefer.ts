import { CommandError, FlagError } from '../framework/errors.ts';
import { type Flag, mistakeIn } from '../framework/flag.ts';
import { globalFlags, withGlobals } from '../framework/global-flags.ts';
import type { Io } from '../framework/io.ts';
import { findArgument, parseFlags } from '../framework/parse-flags.ts';
import type { Option, Preferences } from '../preferences/preferences.ts';
import type { Command, CommandEntry } from './command.ts';

/** A command with the words that name it. */
interface Named {
  readonly command: Command;
  readonly path: readonly string[];
}

/** The words of a command line after its aliases are replaced, and the alias that the original line contained. */
export interface Expanded {
  readonly words: readonly string[];
  readonly alias?: string;
}

/**
 * The words of a command line after an alias of the user is replaced by its command, flags and arguments. Commands of
 * the program have priority over aliases.
 * @throws CommandError if the alias names a command or a flag that does not exist
 * @example
 *   await expandAlias(['getn', 'a'], preferences, commands) // { words: ['get', '--output=wide', 'nodes', 'a'], … }
 */
export async function expandAlias(
  words: readonly string[],
  { aliases }: Preferences,
  commands: readonly CommandEntry[],
): Promise<Expanded> {
  const at = findArgument(globalFlags, words);
  const name = words[at];
  if (name === undefined || name.startsWith('__') || name === 'help' || entryNamed(commands, name) !== undefined)
    return { words };
  const alias = aliases.find((each) => each.name === name);
  if (alias === undefined) return { words };
  const target = await commandOf(alias.command, commands);
  if (target === undefined)
    throw new CommandError(
      `command ${JSON.stringify(alias.command)} not found to set alias ${JSON.stringify(name)}: [${alias.command}]`,
    );
  const [before, after] = [words.slice(0, at), words.slice(at + 1)];
  const flags = optionsLeft(alias.options ?? [], target.command, [...before, ...after], {
    unknown: (option) => `invalid alias flag ${option.name} in alias ${name}`,
    mistaken: (option) => `could not apply value ${option.default} to flag ${option.name} in alias ${name}`,
  });
  const { prependArgs = [], appendArgs = [] } = alias;
  return { words: [...before, ...target.path, ...flags, ...prependArgs, ...after, ...appendArgs], alias: name };
}

/**
 * The words after a command. The flags that the user prefers come first, without flags that the line itself contains.
 * @param found the command of the line, whose `path` begins with the name of the program
 * @throws CommandError if preferences name a flag that the command does not have, or contain a wrong value
 */
export async function withDefaults(
  found: { readonly command: Command; readonly path: string; readonly rest: readonly string[] },
  { defaults }: Preferences,
  commands: readonly CommandEntry[],
  io: Io,
): Promise<readonly string[]> {
  const own = found.path.split(' ').slice(1).join(' ');
  const added: string[] = [];
  for (const { command, options = [] } of defaults) {
    const target = await commandOf(command, commands);
    if (target === undefined)
      io.err.write(`Warning: command ${JSON.stringify(command)} not found to set kuberc override\n`);
    else if (target.path.join(' ') === own && !found.command.literal)
      added.push(
        ...optionsLeft(options, found.command, found.rest, {
          unknown: (option) => `invalid flag ${option.name} for command ${command}`,
          mistaken: (option) =>
            `could not apply override value ${option.default} to flag ${option.name} in command ${command}`,
        }),
      );
  }
  return [...added, ...found.rest];
}

/** The error texts about an option. */
interface Complaints {
  readonly unknown: (option: Option) => string;
  readonly mistaken: (option: Option) => string;
}

/** The options as words, without options that the line itself contains. */
function optionsLeft(
  options: readonly Option[],
  command: Command,
  line: readonly string[],
  complaints: Complaints,
): string[] {
  const declared = withGlobals(command.flags);
  const given = givenIn(declared, line);
  return options.flatMap((option) => {
    const flag = declared.find(({ name }) => name === option.name);
    if (flag === undefined) throw new CommandError(complaints.unknown(option));
    if (given?.has(option.name)) return [];
    const mistake = mistakeIn(flag, option.default);
    if (mistake !== undefined) {
      const shown = flag.short === undefined ? `--${flag.name}` : `-${flag.short}, --${flag.name}`;
      const what = `invalid argument ${JSON.stringify(option.default)} for "${shown}" flag: ${mistake}`;
      throw new CommandError(`${complaints.mistaken(option)} err: ${what}`);
    }
    return [`--${option.name}=${option.default}`];
  });
}

/** The flags of a line. Undefined means that the line cannot be parsed. The command reports that error when it runs. */
function givenIn(declared: readonly Flag[], line: readonly string[]) {
  try {
    return parseFlags(declared, line).flags;
  } catch (error) {
    if (error instanceof FlagError) return undefined;
    throw error;
  }
}

/** The entry whose name or alternative name is `name`. */
export function entryNamed(commands: readonly CommandEntry[], name: string): CommandEntry | undefined {
  return commands.find((entry) => entry.name === name || entry.aliases?.includes(name));
}

async function commandOf(text: string, commands: readonly CommandEntry[]): Promise<Named | undefined> {
  const path: string[] = [];
  let among: readonly CommandEntry[] | undefined = commands;
  let command: Command | undefined;
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const entry: CommandEntry | undefined = among && entryNamed(among, word);
    if (entry === undefined) return undefined;
    command = await entry.load();
    path.push(entry.name);
    among = command.subcommands;
  }
  return command && { command, path };
}
