import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { CommandError } from '../frame/errors.ts';
import type { Flag, Flags } from '../frame/flag.ts';

/** `--from-literal`, `--from-file` and `--from-env-file`. */
export const sourceFlags: readonly Flag[] = [
  { name: 'append-hash', type: 'bool', help: 'Add a hash of the content to the name' },
  { name: 'from-env-file', type: 'strings', help: 'File with lines KEY=value' },
  { name: 'from-file', type: 'strings', help: 'File, or KEY=file, or folder, whose files are the values' },
  { name: 'from-literal', type: 'texts', help: 'A key and its value: KEY=value' },
];

const LARGEST = 8 << 20;

/** Where values come from, as the flags have it. */
export interface Sources {
  readonly files: readonly string[];
  readonly envFiles: readonly string[];
  readonly literals: readonly string[];
}

export function sourcesOf(flags: Flags): Sources {
  const [files, envFiles, literals] = ['from-file', 'from-env-file', 'from-literal'].map((name) => flags.list(name));
  return { files: files!, envFiles: envFiles!, literals: literals! };
}

/** Values by key. @throws CommandError; `what` names the object in errors, such as `ConfigMap "a"` */
export function readSources({ files, envFiles, literals }: Sources, what: string): ReadonlyMap<string, Buffer> {
  const values = new Map<string, Buffer>();
  const add = (key: string, value: Buffer): void => {
    if (!/^[-._a-zA-Z0-9]+$/.test(key) || key === '.' || key.startsWith('..'))
      throw new CommandError(
        `${JSON.stringify(key)} is not a valid key name for a ${what.split(' ')[0]}: a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
      );
    if (values.has(key))
      throw new CommandError(`cannot add key "${key}", another key by that name already exists in Data for ${what}`);
    values.set(key, value);
  };
  if (envFiles.length > 0 && (files.length > 0 || literals.length > 0))
    throw new CommandError('from-env-file cannot be combined with from-file or from-literal');
  for (const literal of literals) {
    const at = literal.indexOf('=');
    if (at <= 0) throw new CommandError(`invalid literal source ${literal}, expected key=value`);
    const text = literal.slice(at + 1);
    const quoted = /^"(.*)"$/s.exec(text) ?? /^'(.*)'$/s.exec(text);
    add(literal.slice(0, at), Buffer.from(quoted?.[1] ?? text));
  }
  for (const source of files) addFile(source, add);
  for (const file of envFiles) addEnvFile(file, add);
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
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'no such file or directory' : code === 'EACCES' ? 'permission denied' : message;
    throw new CommandError(`error reading ${file}: ${why}`);
  }
}

function readValue(file: string): Buffer {
  return guarded(file, () => {
    if (statSync(file).size > LARGEST) throw new Error('it is too large for an object');
    return readFileSync(file);
  });
}

function addEnvFile(file: string, add: Add): void {
  const text = readValue(file)
    .toString()
    .replace(/^\uFEFF/, '');
  for (const [n, line] of text.split('\n').entries()) {
    const own = line.replace(/^\s+/, '').replace(/\r$/, '');
    if (own === '' || own.startsWith('#')) continue;
    const at = own.indexOf('=');
    const key = at < 0 ? own : own.slice(0, at);
    if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(key))
      throw new CommandError(`${file}:${n + 1}: ${JSON.stringify(key)} is not a valid environment variable name`);
    add(key, Buffer.from(at < 0 ? (process.env[key] ?? '') : own.slice(at + 1)));
  }
}
