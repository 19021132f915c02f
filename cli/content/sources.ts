import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { configKey, environmentVariable } from '#schema/validation/names.ts';
import { CommandError } from '../framework/errors.ts';
import { reasonOf } from '../framework/file-words.ts';
import type { Flag, Flags } from '../framework/flag.ts';

/** The flags `--from-literal`, `--from-file` and `--from-env-file`. */
export const sourceFlags: readonly Flag[] = [
  { name: 'append-hash', type: 'bool', help: 'Add a hash of the content to the name' },
  { name: 'from-env-file', type: 'strings', help: 'File with lines KEY=value' },
  { name: 'from-file', type: 'strings', help: 'FILE, KEY=FILE or FOLDER; the content of each file becomes a value' },
  { name: 'from-literal', type: 'texts', help: 'A key and its value: KEY=value' },
];

const LARGEST = 8 << 20;

/** The sources of values, as the flags name them. */
export interface Sources {
  readonly files: readonly string[];
  readonly envFiles: readonly string[];
  readonly literals: readonly string[];
  /**
   * The environment from which variables that files name without a value get their values. By default, it is the
   * environment of this process.
   */
  readonly environment?: NodeJS.ProcessEnv;
}

export function sourcesOf(flags: Flags): Sources {
  const [files, envFiles, literals] = ['from-file', 'from-env-file', 'from-literal'].map((name) => flags.list(name));
  return { files: files!, envFiles: envFiles!, literals: literals! };
}

/** The error messages about values for a kind of object. */
export interface SourceWords {
  readonly invalidKey: (key: string, problems: readonly string[]) => string;
  readonly repeatedKey: (key: string, isText: boolean) => string;
  readonly folderOfVariables: string;
}

/** The error messages for config maps. */
export const configMapWords = (name: string): SourceWords => ({
  invalidKey: (key, problems) =>
    `${JSON.stringify(key)} is not a valid key name for a ConfigMap: ${problems.join(',')}`,
  repeatedKey: (key, isText) =>
    `cannot add key "${key}", another key by that name already exists in ${isText ? 'Data' : 'BinaryData'} for ConfigMap "${name}"`,
  folderOfVariables: 'env config file cannot be a directory',
});

/** The error messages for secrets. */
export const secretWords: SourceWords = {
  invalidKey: (key, problems) => `${JSON.stringify(key)} is not valid key name for a Secret ${problems.join(';')}`,
  repeatedKey: (key) => `cannot add key ${key}, another key by that name already exists`,
  folderOfVariables: 'env secret file cannot be a directory',
};

/**
 * Reads the values of all sources, by key.
 * @throws CommandError with one of `words`
 */
export function readSources(
  { files, envFiles, literals, environment = process.env }: Sources,
  words: SourceWords,
): ReadonlyMap<string, Buffer> {
  const values = new Map<string, Buffer>();
  const add = (key: string, value: Buffer): void => {
    const problems = configKey(key);
    if (problems.length > 0) throw new CommandError(words.invalidKey(key, problems));
    const present = values.get(key);
    if (present !== undefined) throw new CommandError(words.repeatedKey(key, isUtf8(present)));
    values.set(key, value);
  };
  if (envFiles.length > 0 && (files.length > 0 || literals.length > 0))
    throw new CommandError('from-env-file cannot be combined with from-file or from-literal');
  for (const literal of literals) {
    const at = literal.indexOf('=');
    if (at <= 0) throw new CommandError(`invalid literal source ${literal}, expected key=value`);
    add(literal.slice(0, at), Buffer.from(literal.slice(at + 1)));
  }
  for (const source of files) addFile(source, add);
  for (const file of envFiles) addEnvFile(file, add, words, environment);
  return values;
}

type Add = (key: string, value: Buffer) => void;

function addFile(source: string, add: Add): void {
  const parts = source.split('=');
  if (parts.length > 2) throw new CommandError("key names or file paths cannot contain '='");
  if (parts.length === 2 && parts[0] === '') throw new CommandError(`key name for file path ${parts[1]} missing`);
  if (parts.length === 2 && parts[1] === '') throw new CommandError(`file path for key name ${parts[0]} missing`);
  const file = parts.at(-1)!;
  const isFolder = guarded(file, () => statSync(file).isDirectory());
  if (!isFolder) {
    add(parts.length === 2 ? parts[0]! : path.basename(file), readValue(file));
    return;
  }
  if (parts.length === 2) throw new CommandError('cannot give a key name for a directory path');
  for (const entry of guarded(file, () => readdirSync(file, { withFileTypes: true })).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  ))
    if (entry.isFile()) add(entry.name, readValue(path.join(file, entry.name)));
}

function guarded<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new CommandError(`error reading ${file}: ${reasonOf(error)}`);
  }
}

function readValue(file: string): Buffer {
  return guarded(file, () => {
    if (statSync(file).size > LARGEST) throw new Error('it is too large for an object');
    return readFileSync(file);
  });
}

function addEnvFile(file: string, add: Add, { folderOfVariables }: SourceWords, environment: NodeJS.ProcessEnv): void {
  if (guarded(file, () => statSync(file).isDirectory())) throw new CommandError(folderOfVariables);
  const bytes = readValue(file);
  const text = bytes.toString().replace(/^\uFEFF/, '');
  if (!isUtf8(bytes)) {
    const lines = bytes.toString('latin1').split('\n');
    const n = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
    const shown = [...Buffer.from(lines[n]!, 'latin1')].join(' ');
    throw new CommandError(`env file ${file} contains invalid utf8 bytes at line ${n + 1}: [${shown}]`);
  }
  for (const line of text.split('\n')) {
    const own = line.replace(/^\s+/, '').replace(/\r$/, '');
    if (own === '' || own.startsWith('#')) continue;
    const at = own.indexOf('=');
    const key = at < 0 ? own : own.slice(0, at);
    const problems = environmentVariable(key);
    if (problems.length > 0)
      throw new CommandError(`${JSON.stringify(key)} is not a valid key name: ${problems.join(';')}`);
    add(key, Buffer.from(at < 0 ? (environment[key] ?? '') : own.slice(at + 1)));
  }
}
