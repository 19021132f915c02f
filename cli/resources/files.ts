import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseJson } from '../../client/json.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import { CommandError } from '../frame/errors.ts';
import type { Io } from '../frame/io.ts';
import { objectsIn } from './documents.ts';

/** An object from a file, before anybody knows its type. */
export interface FileObject {
  readonly object: ApiObject;
  /** The file, the URL, or STDIN. */
  readonly source: string;
}

const EXTENSIONS = ['.json', '.yaml', '.yml'];
/** More than any set of manifests. */
const LONGEST_FILE = 256 << 20;

/** How `-f` is read. */
export interface FileReading {
  readonly recursive: boolean;
  /** Objects are to be stored, so that they must say what they are. */
  readonly validated?: boolean;
  /** Told of documents that are no objects, and the others go on. Without it they are thrown. */
  readonly onError?: (error: CommandError) => void;
}

/** All objects that `-f` names, in the order given; lists are taken apart. @throws CommandError */
export async function readFiles(names: readonly string[], io: Io, reading: FileReading): Promise<FileObject[]> {
  const objects: FileObject[] = [];
  for (const name of names)
    for (const { text, source } of await readTexts(name, reading.recursive, io))
      for (const document of await parseDocuments(text, source))
        try {
          for (const object of objectsIn(document, { ...reading, source })) objects.push({ object, source });
        } catch (error) {
          if (reading.onError === undefined || !(error instanceof CommandError)) throw error;
          reading.onError(error);
        }
  return objects;
}

/** The text of the one file that is sent as it is. @throws CommandError */
export async function readRaw(names: readonly string[], io: Io): Promise<string> {
  const texts = names.length === 1 ? await readTexts(names[0]!, false, io) : [];
  if (texts.length !== 1) throw new CommandError('--raw can only use a single local file or stdin');
  return texts[0]!.text;
}

/** Files and folders must be there before anything else is looked at. @throws CommandError */
export function checkPaths(names: readonly string[]): void {
  for (const name of names)
    if (name !== '-' && !/^https?:\/\//.test(name) && !existsSync(name))
      throw new CommandError(`the path "${name}" does not exist`);
}

interface FileText {
  readonly text: string;
  readonly source: string;
}

async function readTexts(name: string, recursive: boolean, io: Io): Promise<FileText[]> {
  if (name === '-') return [{ text: await io.readInput(), source: 'STDIN' }];
  if (/^https?:\/\//.test(name)) return [{ text: await download(name, io.signal), source: name }];
  let paths: string[];
  try {
    paths = statSync(name).isDirectory() ? filesIn(name, recursive) : [name];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new CommandError(`the path "${name}" does not exist`);
    throw new CommandError(`the path "${name}" cannot be accessed: ${(error as Error).message}`);
  }
  if (paths.length === 0)
    throw new CommandError(`error reading [${name}]: recognized file extensions are [${EXTENSIONS.join(' ')}]`);
  return paths.map((file) => ({ text: readText(file), source: file }));
}

function readText(file: string): string {
  if (statSync(file).size > LONGEST_FILE) throw new CommandError(`${file} is too large for a manifest`);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

function filesIn(folder: string, recursive: boolean): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if (isFolder) return recursive ? filesIn(file, true) : [];
      return EXTENSIONS.includes(path.extname(entry.name)) ? [file] : [];
    });
}

async function download(url: string, signal: AbortSignal): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    const cause = (error as { cause?: NodeJS.ErrnoException }).cause;
    if (cause?.code === 'ECONNREFUSED')
      throw new CommandError(
        `The connection to the server ${new URL(url).host} was refused - did you specify the right host or port?`,
        { plain: true },
      );
    throw new CommandError(`unable to read URL "${url}": ${cause?.message ?? (error as Error).message}`);
  }
  if (response.status >= 300)
    throw new CommandError(
      `unable to read URL "${url}", server reported ${response.status} ${response.statusText}, status code=${response.status}`,
    );
  return response.text();
}

/** The objects in a text of JSON or of YAML documents. */
export async function parseObjects(text: string, source: string): Promise<FileObject[]> {
  return (await parseDocuments(text, source)).flatMap((document) =>
    objectsIn(document, { source }).map((object) => ({ object, source })),
  );
}

async function parseDocuments(text: string, source: string): Promise<unknown[]> {
  if (/^\s*\{/.test(text)) {
    try {
      return [parseJson(text)];
    } catch {
      // YAML in braces, or several JSON documents, which are YAML as well.
    }
  }
  const { parseYamlDocuments } = await import('./parse-yaml.ts');
  return parseYamlDocuments(text, source);
}
