import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { CommandError } from '../framework/errors.ts';
import { fileWords } from '../framework/file-words.ts';
import type { Io } from '../framework/io.ts';

/** The value that a flag has where the command line does not give it. */
export interface Option {
  /** Of the flag, without dashes. */
  readonly name: string;
  readonly default: string;
}

/** Flags of a command that have other defaults. */
export interface CommandDefaults {
  /** The words of the command: `set env`. */
  readonly command: string;
  readonly options?: readonly Option[];
}

/** A word that stands for a command, some of its flags and arguments. */
export interface Alias extends CommandDefaults {
  readonly name: string;
  /** Arguments before those of the command line. */
  readonly prependArgs?: readonly string[];
  /** Words after those of the command line. */
  readonly appendArgs?: readonly string[];
}

/** Which programs may be run to get credentials. */
export interface PluginPolicy {
  readonly policy: string;
  /** Names or paths of programs; undefined where there is no list. */
  readonly allowed: readonly string[] | undefined;
}

/** What a user prefers. */
export interface Preferences {
  readonly defaults: readonly CommandDefaults[];
  readonly aliases: readonly Alias[];
  readonly plugins: PluginPolicy;
}

/** The file of preferences that counts. */
export interface PreferencesFile {
  readonly file: string;
  /** Whether the user has named it, by a flag or in the environment. */
  readonly explicit: boolean;
}

/**
 * The file of preferences that counts: the one that a flag names, the one that the environment names (`ORCHRC`, or the
 * variable of another naming profile), or the first that is in the user's home; the first place where none is.
 * Undefined where the environment turns preferences off.
 * @throws CommandError where a flag names a file though they are turned off
 */
export function preferencesFile(named: string, { env, home }: Io, isThere = exists): PreferencesFile | undefined {
  const words = namingProfiles.map(createNaming);
  const variables = words.map(({ preferences }) => preferences.variable);
  const off = variables.find((variable) => env[variable] === 'off');
  if (off !== undefined) {
    if (named === '') return undefined;
    throw new CommandError(
      `kuberc error disabling kuberc via ${off}=off and passing kuberc flag are mutually exclusive`,
    );
  }
  const given =
    named || variables.map((variable) => env[variable]).find((value) => value !== undefined && value !== '');
  if (given) return { file: given, explicit: true };
  const files = words.map(({ clientFolder, preferences }) => path.join(home, clientFolder, preferences.file));
  return { file: files.find(isThere) ?? files[0]!, explicit: false };
}

function exists(file: string): boolean {
  return textOf(file) !== undefined;
}

/**
 * The text of a file; undefined where there is none.
 * @throws CommandError where it cannot be read
 */
export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CommandError(fileWords(error, file));
  }
}

/**
 * What the user prefers; undefined for a user without a file. A file that the user has not named and that cannot be
 * read counts as none, with a warning.
 * @param named by a flag; '' for none
 * @throws CommandError about a file that the user has named, or about what a file says
 */
export async function loadPreferences(named: string, io: Io): Promise<Preferences | undefined> {
  const found = preferencesFile(named, io);
  if (found === undefined) return undefined;
  const { file, explicit } = found;
  try {
    const text = textOf(file);
    if (text === undefined) {
      if (explicit) throw new CommandError(`open ${file}: no such file or directory`);
      return undefined;
    }
    const { readPreferences } = await import('./read-preferences.ts');
    const { preferences, unknown } = readPreferences(text, file);
    if (unknown.length > 0)
      io.err.write(`kuberc: ignoring strict decoding error in ${file}: strict decoding error: ${unknown.join(', ')}\n`);
    return preferences;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (explicit) throw new CommandError(`kuberc error kuberc: ${error.message}`);
    io.err.write(`kuberc: no preferences loaded from ${file}: ${error.message}\n`);
    return undefined;
  }
}

/**
 * The file that the flag `--kuberc` names, before flags are read; '' where it is not given.
 * @throws CommandError where it is given without a value
 */
export function namedPreferences(words: readonly string[]): string {
  const end = words.indexOf('--');
  const before = end < 0 ? words : words.slice(0, end);
  const at = before.findIndex((word) => word === '--kuberc' || word.startsWith('--kuberc='));
  if (at < 0) return '';
  const value = before[at] === '--kuberc' ? before[at + 1] : before[at]!.slice('--kuberc='.length);
  if (value === undefined || value === '') throw new CommandError('kuberc file is not found');
  return value;
}

/**
 * Checks what preferences say, before anything is done by them.
 * @throws CommandError
 */
export function checkPreferences({ defaults, aliases, plugins }: Preferences): void {
  const names = new Set<string>();
  for (const { name, options } of aliases) {
    if (!/^[a-zA-Z]+$/.test(name))
      throw new CommandError('invalid alias name, can only include alphabetical characters');
    checkOptions(options);
    if (names.has(name)) throw new CommandError(`duplicate alias name ${name}`);
    names.add(name);
  }
  for (const { options } of defaults) checkOptions(options);
  checkPlugins(plugins);
}

function checkOptions(options: readonly Option[] = []): void {
  const dashed = options.find(({ name }) => name.startsWith('-'));
  if (dashed !== undefined) throw new CommandError(`flag name ${dashed.name} should be in long form without dashes`);
}

/** The policies that there are; no policy is the first. */
export const POLICIES = ['AllowAll', 'DenyAll', 'Allowlist'] as const;

function checkPlugins({ policy, allowed }: PluginPolicy): void {
  const quoted = JSON.stringify(policy);
  if (policy !== '' && !POLICIES.some((known) => known === policy))
    throw new CommandError(`unknown plugin policy: ${quoted}`);
  if (policy !== 'Allowlist') {
    if (allowed === undefined) return;
    throw new CommandError(
      `misconfigured credential plugin allowlist: plugin policy is ${quoted} but allowlist is non-nil`,
    );
  }
  if (allowed === undefined)
    throw new CommandError(`credential plugin policy set to ${quoted}, but allowlist is unspecified`);
  if (allowed.length === 0)
    throw new CommandError(
      `credential plugin policy set to ${quoted}, but allowlist is empty; use "DenyAll" policy instead`,
    );
  allowed.forEach((program, at) => {
    if (program === '')
      throw new CommandError(`misconfigured credential plugin allowlist: empty allowlist entry #${at + 1}`);
    const clean = path.normalize(program).replace(/(.)\/$/, '$1');
    if (clean !== program)
      throw new CommandError(`non-normalized file path: ${JSON.stringify(program)} vs ${JSON.stringify(clean)}`);
  });
}
