import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { CommandError } from '../framework/errors.ts';
import { fileWords } from '../framework/file-words.ts';
import type { Io } from '../framework/io.ts';
import type { Preferences } from './preferences.ts';

/** The codes of the system for a path without a file. A folder of the path is missing, or is a file. */
const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR']);

/** The preferences file in use. */
export interface PreferencesFile {
  readonly file: string;
  /** Whether the user has named the file, by a flag or in the environment. */
  readonly explicit: boolean;
}

/**
 * The file of preferences in use. A flag can name it, or the environment (`ORCHRC`, or the variable of another naming
 * profile). Otherwise it is the first existing file in the user's home, or the first place there if none exists.
 * Undefined if the environment turns preferences off.
 * @throws CommandError if a flag names a file although the environment turns preferences off
 */
export function preferencesFile(named: string, { env, home }: Io, isThere = existsSync): PreferencesFile | undefined {
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

/**
 * The text of a file. Undefined if the file does not exist.
 * @throws CommandError if the file is not readable
 */
export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw new CommandError(fileWords(error, file));
  }
}

/**
 * The user's preferences. Undefined for a user without a file. If a file that the user has not named is not readable, a
 * warning is written, and the file counts as missing.
 * @param named the file that a flag names, or '' if there is no such flag
 * @throws CommandError about a file that the user has named, or about the content of a file
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
 * The file that the flag `--kuberc` names, found in the words before flags are parsed. It is '' if the flag is not
 * given.
 * @throws CommandError if the flag has no value
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
