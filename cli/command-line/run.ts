import type { Client } from '#client/client.ts';
import { versionLine } from '#program/flags/build.ts';
import { connectsFirst } from '../connection/connects-first.ts';
import { Session } from '../connection/session.ts';
import { CommandError, FlagError, UsageError } from '../framework/errors.ts';
import type { Flag } from '../framework/flag.ts';
import { globalFlags, withGlobals } from '../framework/global-flags.ts';
import { type Io, isForPeople } from '../framework/io.ts';
import { findArgument, parseFlags } from '../framework/parse-flags.ts';
import { suggestions } from '../framework/suggestions.ts';
import { loadPreferences, namedPreferences } from '../preferences/load-preferences.ts';
import { checkPreferences, type Preferences } from '../preferences/preferences.ts';
import type { Command, CommandEntry, Invocation } from './command.ts';
import { explainError } from './explain-error.ts';
import { commandHelp, PROGRAM, programHelp } from './help.ts';
import { type Expanded, entryNamed, expandAlias, withDefaults } from './prefer.ts';
import { profiled } from './profiling.ts';

export interface RunOptions {
  /** The client that tests use in place of a connection. */
  readonly client?: Client;
  /**
   * Runs a program `orchctl-…` if no command has the name. Resolves to its exit code, or to undefined if there is no
   * such program.
   */
  readonly plugin?: (words: readonly string[], io: Io) => Promise<number | undefined>;
}

/**
 * Runs one command line and resolves to its exit code. It never throws, because it writes errors to the error stream.
 */
export async function run(
  commands: readonly CommandEntry[],
  words: readonly string[],
  io: Io,
  options: RunOptions = {},
): Promise<number> {
  if (words.length === 1 && words[0] === '--version') {
    io.out.write(`${versionLine(PROGRAM)}\n`);
    return 0;
  }
  let path = PROGRAM;
  let failureCode = 1;
  let session: Session | undefined;
  try {
    const { preferences, words: expanded, alias } = await prefer(commands, words, io);
    const found = await findCommand(commands, expanded, io, options);
    if (typeof found === 'number') return found;
    path = found.path;
    const { command } = found;
    // The user's default flags for a command do not apply to the command's aliases.
    const counts = preferences !== undefined && alias === undefined;
    const rest = counts ? await asPreferred(() => withDefaults(found, preferences, commands, io)) : found.rest;
    failureCode = command.failureCode ?? 1;
    const declared = withGlobals(command.flags);
    const { flags, args, beforeDash, help } = parseFlags(declared, command.literal ? ['--', ...rest] : rest);
    for (const { name, deprecated } of declared)
      if (deprecated !== undefined && flags.has(name))
        io.err.write(`Flag --${name} has been deprecated, ${deprecated}\n`);
    if (help) {
      io.out.write(commandHelp(command, path));
      return 0;
    }
    if (command.run === undefined) {
      if (args.length > 0 && command.needsSubcommand)
        throw new UsageError(`unknown command ${JSON.stringify(args.join(' '))}`);
      (command.needsSubcommand ? io.err : io.out).write(commandHelp(command, path));
      return command.needsSubcommand ? 1 : 0;
    }
    const own = (command.flags ?? []).map(({ name }) => name);
    const isRaw = own.includes('raw') && flags.text('raw') !== '';
    session = new Session(flags.without(own), io, options.client, connectsFirst(path, isRaw));
    session.plugins = preferences?.plugins;
    const invocation: Invocation = { command, commands, path, flags, args, beforeDash, io, session };
    const execute = async () => command.run!(invocation);
    const code = (own.includes('profile') ? await execute() : await profiled(flags, execute)) ?? 0;
    if (session.warnings > 0 && flags.bool('warnings-as-errors')) {
      const many = session.warnings === 1 ? '1 warning' : `${session.warnings} warnings`;
      throw new CommandError(`${many} received`);
    }
    return code;
  } catch (error) {
    // If exit code 1 has another meaning for the command, a wrong flag is reported like other wrong calls.
    const reported = error instanceof FlagError && failureCode > 1 ? new UsageError(error.message) : error;
    return Math.max(tell(reported, path, io, session), failureCode);
  } finally {
    await session?.close().catch(() => {});
  }
}

/** A command line with the user's preferences. */
interface Preferred extends Expanded {
  /** Undefined means that the user has no preferences. */
  readonly preferences: Preferences | undefined;
}

/**
 * Reads the user's preferences, and replaces aliases by their commands.
 * @throws CommandError if the preferences are malformed
 */
async function prefer(commands: readonly CommandEntry[], words: readonly string[], io: Io): Promise<Preferred> {
  return asPreferred(async () => {
    const preferences = words.length === 0 ? undefined : await loadPreferences(namedPreferences(words), io);
    if (preferences === undefined) return { words, preferences };
    checkPreferences(preferences);
    return { ...(await expandAlias(words, preferences, commands)), preferences };
  });
}

/** Runs `read`, and adds to its error that the mistake is in the user's preferences. */
async function asPreferred<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`error occurred while applying preferences ${error.message}`, { plain: true });
  }
}

function tell(error: unknown, path: string, io: Io, session: Session | undefined): number {
  if (io.signal.aborted) return 130;
  let server: string | undefined;
  try {
    server = session?.settings.connection.cluster.server;
  } catch {
    // The error concerns the settings themselves.
  }
  let code = 1;
  for (const { text, hint, output, exitCode } of explainError(error, path, server)) {
    code = exitCode;
    if (output) io.out.write(output);
    if (text !== '') io.err.write(`${text}\n`);
    if (hint !== undefined && isForPeople(io)) io.err.write(`${hint}\n`);
  }
  if (io.env['ORCHCTL_STACK'] && error instanceof Error) io.err.write(`${error.stack}\n`);
  return code;
}

interface Found {
  readonly command: Command;
  readonly path: string;
  /** The words after the names of the commands. */
  readonly rest: readonly string[];
}

/** Finds the command that the words name. Returns an exit code if there is no command to run. */
async function findCommand(
  commands: readonly CommandEntry[],
  words: readonly string[],
  io: Io,
  options: RunOptions,
): Promise<Found | number> {
  let flags: readonly Flag[] = globalFlags;
  const at = findArgument(flags, words);
  if (at < 0) {
    parseFlags(globalFlags, words);
    io.out.write(programHelp(commands));
    return 0;
  }
  if (words[at] === 'help') return findHelp(commands, words.slice(at + 1), io, options);
  let entry = entryNamed(commands, words[at]!);
  if (entry === undefined) {
    const code = at === 0 ? await options.plugin?.(words, io) : undefined;
    if (code !== undefined) return code;
    return unknownCommand(commands, words[at]!, io);
  }
  let command = await entry.load();
  let path = `${PROGRAM} ${entry.name}`;
  let rest = [...words.slice(0, at), ...words.slice(at + 1)];
  while (command.subcommands !== undefined) {
    flags = withGlobals(command.flags);
    const next = findArgument(flags, rest);
    entry = next < 0 ? undefined : entryNamed(command.subcommands, rest[next]!);
    if (entry === undefined) break;
    command = await entry.load();
    path += ` ${entry.name}`;
    rest = [...rest.slice(0, next), ...rest.slice(next + 1)];
  }
  return { command, path, rest };
}

async function findHelp(
  commands: readonly CommandEntry[],
  words: readonly string[],
  io: Io,
  options: RunOptions,
): Promise<Found | number> {
  if (words.length === 0) {
    io.out.write(programHelp(commands));
    return 0;
  }
  const topics = words.filter((word) => !word.startsWith('-'));
  const [first] = topics;
  if (first !== undefined && first !== 'help' && entryNamed(commands, first) === undefined) {
    io.err.write(`Unknown help topic [${topics.map((topic) => `\`${topic}\``).join(' ')}]\n\n${programHelp(commands)}`);
    return 0;
  }
  const found = await findCommand(commands, topics, io, options);
  return typeof found === 'number' ? found : { ...found, rest: ['--help'] };
}

function unknownCommand(commands: readonly CommandEntry[], name: string, io: Io): number {
  const near = suggestions(
    name,
    commands.filter(({ hidden }) => !hidden).map((entry) => entry.name),
  );
  const also = near.length === 0 ? '' : `\n\nDid you mean this?\n${near.map((word) => `\t${word}\n`).join('')}`;
  io.err.write(
    `${new FlagError(`Error: unknown command ${JSON.stringify(name)} for ${JSON.stringify(PROGRAM)}`).message}${also}\n`,
  );
  return 1;
}
