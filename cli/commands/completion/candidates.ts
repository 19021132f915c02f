import type { PodSpec } from '#schema/generated/core.v1.ts';
import type { Command, CommandEntry } from '../../command-line/command.ts';
import { inGroup } from '../../connection/in-group.ts';
import { Session } from '../../connection/session.ts';
import { ConfigFiles } from '../../connection-files/files.ts';
import type { Flag, Flags } from '../../framework/flag.ts';
import { globalFlags, withGlobals } from '../../framework/global-flags.ts';
import type { Io } from '../../framework/io.ts';
import { findArgument, type ParsedLine, parseFlags } from '../../framework/parse-flags.ts';
import { places, withPods } from './places.ts';
import { DIRECTIVES, nothing, type Proposal, type ProposedWord, plainWords } from './proposal.ts';

/** The largest number of names that are proposed, and the time limit for getting them. */
const MOST_NAMES = 500;
const PATIENCE = '3s';

/**
 * Proposals for the last of these words, which the user is typing ('' for a new word). There are none if the program
 * knows none or the server does not answer.
 */
export async function candidates(
  commands: readonly CommandEntry[],
  words: readonly string[],
  io: Io,
): Promise<Proposal> {
  const typed = words.at(-1) ?? '';
  const { words: all, directive } = await propose(commands, words.slice(0, -1), typed, io).catch(() => nothing);
  // In `--flag=value`, the proposals complete the value.
  const word = typed.startsWith('--') && typed.includes('=') ? typed.slice(typed.indexOf('=') + 1) : typed;
  const seen = new Set<string>();
  const fitting = directive === DIRECTIVES.filterExtensions ? all : all.filter(({ text }) => text.startsWith(word));
  return { words: fitting.filter(({ text }) => !seen.has(text) && seen.add(text) !== undefined), directive };
}

async function propose(
  commands: readonly CommandEntry[],
  before: readonly string[],
  word: string,
  io: Io,
): Promise<Proposal> {
  let entries: readonly CommandEntry[] | undefined = commands;
  let command: Command | undefined;
  let rest = before;
  let flags: readonly Flag[] = globalFlags;
  const path: string[] = [];
  while (entries !== undefined) {
    const at = findArgument(flags, rest);
    const entry: CommandEntry | undefined =
      at < 0 ? undefined : entries.find(({ name, aliases }) => name === rest[at] || aliases?.includes(rest[at]!));
    if (entry === undefined) break;
    command = await entry.load();
    path.push(entry.name);
    rest = [...rest.slice(0, at), ...rest.slice(at + 1)];
    flags = withGlobals(command.flags);
    entries = command.subcommands;
  }
  const equals = word.startsWith('--') ? word.indexOf('=') : -1;
  if (word.startsWith('-') && equals < 0) return flagsFor(command, flags, rest);
  const valued = equals < 0 ? flagBefore(flags, rest) : flags.find(({ name }) => name === word.slice(2, equals));
  if (valued !== undefined) return valuesOf(valued, path, given(flags, equals < 0 ? rest.slice(0, -1) : rest), io);
  const isFirst = findArgument(flags, rest) < 0;
  if (entries !== undefined && isFirst) return subcommandsOf(entries, command === undefined);
  if (command === undefined)
    return rest[findArgument(flags, rest)] === 'help' ? subcommandsOf(commands, true) : nothing;
  const parsed = parseFlags(flags, rest);
  const { args } = parsed;
  const required = requiredFlags(command, parsed.flags);
  const { words, directive } = await argumentsOf({
    command,
    commands,
    path: path.join(' '),
    flags,
    rest,
    args,
    word,
    io,
  });
  return { words: [...required, ...words], directive };
}

function subcommandsOf(entries: readonly CommandEntry[], isProgram: boolean): Proposal {
  const help = isProgram ? [{ text: 'help', help: 'Help about any command' }] : [];
  const words = entries.filter(({ hidden }) => !hidden).map(({ name, short }) => ({ text: name, help: short }));
  return { words: [...words, ...help].sort((a, b) => (a.text < b.text ? -1 : 1)), directive: DIRECTIVES.noFiles };
}

/** The required flags that the user has not given. */
function requiredFlags({ required = [], flags = [] }: Command, given: Flags): ProposedWord[] {
  return flags
    .filter(({ name }) => required.includes(name) && !given.has(name))
    .map(({ name, help }) => ({ text: `--${name}`, help }));
}

/**
 * The flags of the program, then the flags of the command. Flags that the line already contains are omitted, unless a
 * line can contain them several times.
 */
function flagsFor(command: Command | undefined, flags: readonly Flag[], rest: readonly string[]): Proposal {
  const so = parseFlags(flags, rest).flags;
  const missing = command === undefined ? [] : requiredFlags(command, so);
  if (missing.length > 0) return { words: missing, directive: DIRECTIVES.noFiles };
  const isOpen = ({ name, type, hidden, deprecated }: Flag) =>
    hidden !== true &&
    deprecated === undefined &&
    (!so.has(name) || type === 'strings' || type === 'texts' || type === 'pairs');
  const own = command?.flags ?? [];
  const sorted = (some: readonly Flag[]) => [...some].sort((a, b) => (a.name < b.name ? -1 : 1));
  const help: Flag = { name: 'help', short: 'h', type: 'bool', help: 'Show what the command does' };
  const global = flags.filter((flag) => !own.includes(flag) && isOpen(flag));
  const words = [...sorted(global), ...sorted([...own.filter(isOpen), help])].flatMap(({ name, short, help: text }) => [
    { text: `--${name}`, help: text },
    ...(short === undefined ? [] : [{ text: `-${short}`, help: text }]),
  ]);
  return { words, directive: DIRECTIVES.noFiles };
}

/** The position of the word among the arguments of a command. */
interface Typed {
  readonly command: Command;
  readonly commands: readonly CommandEntry[];
  readonly path: string;
  readonly flags: readonly Flag[];
  readonly rest: readonly string[];
  readonly args: readonly string[];
  readonly word: string;
  readonly io: Io;
}

async function argumentsOf({ command, commands, path, flags, rest, args, word, io }: Typed): Promise<Proposal> {
  const place = places[path];
  if (command.complete === undefined && place === undefined) return nothing;
  const session = new Session(given(flags, rest).flags, io);
  try {
    if (command.complete !== undefined) {
      const parsed = parseFlags(flags, rest);
      const invocation = { command, commands, path, io, session, ...parsed, args: [...args, word] };
      return { words: plainWords(await command.complete(invocation)), directive: DIRECTIVES.noFiles };
    }
    const { types, names, pods, section } = place!;
    if (types !== undefined) return await objects(session, types, args, word);
    const proposal = (texts: readonly string[]): Proposal => ({
      words: plainWords(texts),
      directive: DIRECTIVES.noFiles,
    });
    if (args.length === 1 && pods === 'pod and container') return proposal(await containersOf(session, args[0]!));
    if (args.length > 0) return proposal([]);
    if (pods !== undefined) return await podsFor(session, word);
    if (section !== undefined) return proposal(namesIn(section, given(flags, rest).flags, io));
    return proposal(await namesOf(session, names!));
  } catch {
    // If the server does not answer, there are no proposals.
    return { words: [], directive: DIRECTIVES.noFiles };
  } finally {
    await session.close();
  }
}

/** The flag whose value is the word. */
function flagBefore(flags: readonly Flag[], rest: readonly string[]): Flag | undefined {
  const last = rest.at(-1);
  if (last === undefined || !last.startsWith('-') || last.includes('=')) return undefined;
  const flag = flags.find(({ name, short }) => last === `--${name}` || (short !== undefined && last === `-${short}`));
  return flag === undefined || flag.type === 'bool' || flag.optional !== undefined ? undefined : flag;
}

/** The flags given so far, with a short timeout for requests. */
function given(flags: readonly Flag[], rest: readonly string[]): ParsedLine {
  const patience = rest.some((word) => word.startsWith('--request-timeout')) ? [] : [`--request-timeout=${PATIENCE}`];
  return parseFlags(flags, [...patience, ...rest]);
}

/** The output forms in the order in which they are proposed. */
const FORMATS = [
  ...['json', 'yaml', 'kyaml', 'name', 'go-template', 'go-template-file', 'template', 'templatefile', 'jsonpath'],
  ...['jsonpath-as-json', 'jsonpath-file', 'custom-columns', 'custom-columns-file', 'wide'],
];

async function valuesOf(flag: Flag, path: readonly string[], { flags, args }: ParsedLine, io: Io): Promise<Proposal> {
  const { name, help } = flag;
  const proposal = (texts: readonly string[]): Proposal => ({
    words: plainWords(texts),
    directive: DIRECTIVES.noFiles,
  });
  const section = ({ context: 'contexts', cluster: 'clusters', user: 'users' } as const)[name];
  if (section !== undefined) return proposal(namesIn(section, flags, io));
  if (name === 'namespace') {
    const session = new Session(flags, io);
    try {
      return proposal(await namesOf(session, 'namespaces'));
    } finally {
      await session.close();
    }
  }
  if (path.join(' ') === 'exec' && name === 'container' && args[0] !== undefined) {
    const session = new Session(flags, io);
    try {
      return proposal(await containersOf(session, args[0]));
    } finally {
      await session.close();
    }
  }
  if (name === 'filename')
    return { words: plainWords(['json', 'yaml', 'yml']), directive: DIRECTIVES.filterExtensions };
  const formats = path.join(' ') === 'get' ? /One of: \(([^)]*)\)/.exec(help)?.[1]?.split(', ') : undefined;
  if (formats === undefined) return nothing;
  const first = FORMATS.filter((format) => formats.includes(format));
  return proposal([...first, ...formats.filter((format) => !first.includes(format))]);
}

function namesIn(section: 'contexts' | 'clusters' | 'users', flags: Flags, io: Io): string[] {
  return [...new ConfigFiles(flags, io).merged()[section].keys()];
}

/** Proposes pods, and types that have pods. After `type/` it proposes names with the type. */
async function podsFor(session: Session, word: string): Promise<Proposal> {
  const slash = word.indexOf('/');
  const type = word.slice(0, slash);
  const found = await namesOf(session, slash < 0 ? 'pods' : type);
  const names = found.map((name) => (slash < 0 ? name : `${type}/${name}`));
  const words = plainWords(slash < 0 ? [...names, ...withPods.map((one) => `${one}/`)] : names);
  const onlyTypes = slash < 0 && !names.some((name) => name.startsWith(word));
  return { words, directive: onlyTypes ? DIRECTIVES.noFiles | DIRECTIVES.noSpace : DIRECTIVES.noFiles };
}

async function containersOf(session: Session, pod: string): Promise<string[]> {
  const type = await session.typeNamed('pods');
  if (type === undefined) return [];
  const pods = (await session.client()).resource(type).in(session.namespace);
  const { spec } = (await pods.get(pod.replace(/^pods?\//, ''))) as { readonly spec?: PodSpec };
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name }) => name ?? '');
}

/**
 * Proposes types, then names. After `type/` it proposes `type/name`. Words that are already arguments are not proposed
 * again.
 */
async function objects(
  session: Session,
  allowed: 'all' | readonly string[],
  args: readonly string[],
  word: string,
): Promise<Proposal> {
  const proposal = (texts: readonly string[], directive: number = DIRECTIVES.noFiles): Proposal => ({
    words: plainWords(texts.filter((text) => !args.includes(text))),
    directive,
  });
  const namesIf = async (one: string) => {
    const type = allowed === 'all' ? undefined : await session.typeNamed(one);
    const isAllowed =
      allowed === 'all' || allowed.includes(type?.singular ?? '') || allowed.includes(type?.plural ?? '');
    return isAllowed ? namesOf(session, one) : [];
  };
  if (args.length > 0 && !args[0]!.includes('/')) return proposal(await namesIf(args[0]!));
  const slash = word.indexOf('/');
  const type = word.slice(0, slash);
  if (slash >= 0) return proposal((await namesIf(type)).map((name) => `${type}/${name}`));
  const types = allowed === 'all' ? await typeNames(session, word) : allowed;
  if (args.length === 0) return proposal(types);
  return proposal(
    types.map((one) => `${one}/`),
    DIRECTIVES.noFiles | DIRECTIVES.noSpace,
  );
}

/**
 * Types by the names that commands accept, in the order of their groups. The types that the word already contains come
 * first.
 */
async function typeNames(session: Session, word: string): Promise<string[]> {
  const lead = word.slice(0, word.lastIndexOf(',') + 1);
  return [...(await session.discovered()).thatCan('get')]
    .sort((a, b) => (a.group === b.group ? (a.plural < b.plural ? -1 : 1) : a.group < b.group ? -1 : 1))
    .map(({ group, plural }) => lead + inGroup(plural, group));
}

async function namesOf(session: Session, word: string): Promise<string[]> {
  const type = await session.typeNamed(word);
  if (type === undefined) return [];
  const client = await session.client();
  const namespace = type.namespaced ? session.namespace : undefined;
  const { items } = await client.resource(type).in(namespace).metadataOnly().list({ limit: MOST_NAMES });
  return items.map(({ metadata }) => metadata.name ?? '');
}
