import { ConfigFiles } from '../config/files.ts';
import { Session } from '../connection/session.ts';
import type { Command, CommandEntry } from '../frame/command.ts';
import type { Flag, Flags } from '../frame/flag.ts';
import { globalFlags } from '../frame/global-flags.ts';
import type { Io } from '../frame/io.ts';
import { findArgument, parseFlags } from '../frame/parse-flags.ts';

/** Names that are suggested, and how long anybody waits for them. */
const MOST_NAMES = 500;
const PATIENCE = '3s';

/**
 * What may stand for the last of these words, which is the beginning of one ('' for a new one). Where nothing is known, or the
 * server does not tell, there are none.
 */
export async function candidates(
  commands: readonly CommandEntry[],
  words: readonly string[],
  io: Io,
): Promise<readonly string[]> {
  const word = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const all = await propose(commands, before, word, io).catch(() => []);
  return [...new Set(all)].filter((candidate) => candidate.startsWith(word)).sort();
}

async function propose(
  commands: readonly CommandEntry[],
  before: readonly string[],
  word: string,
  io: Io,
): Promise<readonly string[]> {
  let entries: readonly CommandEntry[] | undefined = commands;
  let command: Command | undefined;
  let rest = before;
  let flags: readonly Flag[] = globalFlags;
  while (entries !== undefined) {
    const at = findArgument(flags, rest);
    const entry: CommandEntry | undefined =
      at < 0 ? undefined : entries.find(({ name, aliases }) => name === rest[at] || aliases?.includes(rest[at]!));
    if (entry === undefined) break;
    command = await entry.load();
    rest = [...rest.slice(0, at), ...rest.slice(at + 1)];
    flags = [...(command.flags ?? []), ...globalFlags];
    entries = command.subcommands;
  }
  if (word.startsWith('-') && !word.includes('='))
    return flags.filter(({ hidden }) => !hidden).map(({ name }) => `--${name}`);
  const valued = flagBefore(flags, rest);
  if (valued !== undefined) return valuesOf(valued, optionsOf(flags, rest.slice(0, -1)), io);
  if (entries !== undefined && findArgument(flags, rest) < 0)
    return entries.filter(({ hidden }) => !hidden).map(({ name }) => name);
  if (command === undefined) return [];
  const { args } = parseFlags(flags, rest);
  const session = new Session(optionsOf(flags, rest), io);
  try {
    if (command.complete !== undefined) {
      const parsed = parseFlags(flags, rest);
      return await command.complete({ command, commands, path: '', io, session, ...parsed, args: [...args, word] });
    }
    return command.usage?.includes('TYPE') ? await objects(session, args, word) : [];
  } finally {
    await session.close();
  }
}

/** The flag that the word is the value of. */
function flagBefore(flags: readonly Flag[], rest: readonly string[]): Flag | undefined {
  const last = rest.at(-1);
  if (last === undefined || !last.startsWith('-') || last.includes('=')) return undefined;
  const flag = flags.find(({ name, short }) => last === `--${name}` || (short !== undefined && last === `-${short}`));
  return flag === undefined || flag.type === 'bool' || flag.optional !== undefined ? undefined : flag;
}

/** The flags given so far, with a short patience for what is asked of the server. */
function optionsOf(flags: readonly Flag[], rest: readonly string[]): Flags {
  const patience = rest.some((word) => word.startsWith('--request-timeout')) ? [] : [`--request-timeout=${PATIENCE}`];
  return parseFlags(flags, [...patience, ...rest]).flags;
}

async function valuesOf(flag: Flag, flags: Flags, io: Io): Promise<readonly string[]> {
  const { name, help } = flag;
  if (name === 'context') return [...new ConfigFiles(flags, io).merged().contexts.keys()];
  if (name === 'cluster') return [...new ConfigFiles(flags, io).merged().clusters.keys()];
  if (name === 'user') return [...new ConfigFiles(flags, io).merged().users.keys()];
  if (name === 'namespace') {
    const session = new Session(flags, io);
    try {
      return await namesOf(session, 'namespaces');
    } finally {
      await session.close();
    }
  }
  const formats = /One of: \(([^)]*)\)/.exec(help);
  return formats === null ? [] : formats[1]!.split(', ');
}

/** Types, then names; after `type/` names with it. */
async function objects(session: Session, args: readonly string[], word: string): Promise<readonly string[]> {
  const slash = word.indexOf('/');
  if (slash > 0) return (await namesOf(session, word.slice(0, slash))).map((name) => `${word.slice(0, slash)}/${name}`);
  if (args.length > 0) return args[0]!.includes('/') ? [] : namesOf(session, args[0]!);
  const types = (await session.discovered()).thatCan('get');
  const lead = word.includes(',') ? word.slice(0, word.lastIndexOf(',') + 1) : '';
  return types.map(({ plural }) => lead + plural);
}

async function namesOf(session: Session, word: string): Promise<string[]> {
  const type = await session.typeNamed(word);
  if (type === undefined) return [];
  const client = await session.client();
  const namespace = type.namespaced ? session.namespace : undefined;
  const { items } = await client.resource(type).in(namespace).metadataOnly().list({ limit: MOST_NAMES });
  return items.map(({ metadata }) => metadata.name ?? '');
}
