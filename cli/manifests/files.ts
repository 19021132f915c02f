import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseJsonStream } from '#base/json/parse-exactly.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { CommandError, throwAll } from '../framework/errors.ts';
import { fileWords } from '../framework/file-words.ts';
import type { Io } from '../framework/io.ts';
import { urlMistake } from '../framework/url-mistake.ts';
import { objectsIn, UndeclaredError } from './documents.ts';
import { download } from './download.ts';
import { filesMatching, PatternError } from './glob.ts';

/** An object from a file, before its type is known. */
export interface FileObject {
  readonly object: ApiObject;
  /** The file, the URL or `STDIN`. */
  readonly source: string;
}

const EXTENSIONS = ['.json', '.yaml', '.yml'];
/** The size of the largest accepted file, in bytes. Real sets of manifests are smaller. */
const LONGEST_FILE = 256 << 20;

/** Options for reading the files of `-f`. */
export interface FileReading {
  readonly recursive: boolean;
  /** Whether the objects will be stored. Each must then have a kind and an apiVersion. */
  readonly validated?: boolean;
  /**
   * Called with errors about documents that are not objects, and the number of earlier documents. If it is undefined,
   * such errors are thrown.
   */
  readonly onError?: (error: CommandError, before: number) => void;
}

/**
 * All objects in the files of `-f`, in their order. Lists are split into their items.
 * @throws CommandError if a file is not readable or malformed
 */
export async function readFiles(names: readonly string[], io: Io, reading: FileReading): Promise<FileObject[]> {
  const objects: FileObject[] = [];
  const tell = (error: unknown): void => {
    if (reading.onError === undefined || !(error instanceof CommandError)) throw error;
    reading.onError(error, objects.length);
  };
  for (const name of names)
    for (const { text, source } of await readTexts(name, reading.recursive, io))
      for (const { document, written, mistake } of await parseDocuments(text, source))
        try {
          if (mistake !== undefined) throw mistake;
          for (const object of objectsIn(document, { ...reading, source, written })) objects.push({ object, source });
        } catch (error) {
          tell(error);
          // A document without kind or apiVersion ends the file.
          if (error instanceof UndeclaredError) break;
        }
  return objects;
}

/**
 * The text of a single file that the command sends unchanged.
 * @throws CommandError if there are several files or the file is not readable
 */
export async function readRaw(names: readonly string[], io: Io): Promise<string> {
  const texts = names.length === 1 ? await readTexts(names[0]!, false, io) : [];
  if (texts.length !== 1) throw new CommandError('--raw can only use a single local file or stdin');
  return texts[0]!.text;
}

/**
 * The files that the names mean. Patterns such as `conf/*.yaml` are expanded. All files must exist before any of them
 * is read.
 * @throws CommandError if a file does not exist
 */
export function pathsOf(names: readonly string[]): string[] {
  const mistakes: CommandError[] = [];
  if (names.filter((name) => name === '-').length > 1)
    mistakes.push(new CommandError('standard input cannot be used for multiple arguments'));
  const paths = names.flatMap((name) => {
    if (name === '-') return [name];
    try {
      if (isUrl(name)) {
        checkUrl(name);
        return [name];
      }
      return existing(name);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      mistakes.push(error);
      return [];
    }
  });
  throwAll(mistakes);
  return paths;
}

/** Whether a name of `-f` is a URL. */
export const isUrl = (name: string): boolean => /^https?:\/\//.test(name);

/** @throws CommandError if the URL is malformed */
function checkUrl(name: string): void {
  const mistake = urlMistake(name);
  if (mistake === undefined) return;
  const text = JSON.stringify(name);
  throw new CommandError(`the URL passed to filename ${text} is not valid: parse ${text}: ${mistake}`);
}

function existing(name: string): string[] {
  try {
    statSync(name);
    return [name];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new CommandError(`the path "${name}" cannot be accessed: ${fileWords(error, name)}`);
  }
  try {
    const matching = filesMatching(name);
    if (name !== '' && matching.length > 0) return matching;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new CommandError(`pattern ${JSON.stringify(name)} is not valid: ${error.message}`);
  }
  throw new CommandError(`the path "${name}" does not exist`);
}

/** The error about a folder without manifest files. */
export class EmptyFolderError extends CommandError {}

interface FileText {
  readonly text: string;
  readonly source: string;
}

async function readTexts(name: string, recursive: boolean, io: Io): Promise<FileText[]> {
  if (name === '-') return [{ text: await io.readInput(), source: 'STDIN' }];
  if (isUrl(name)) return [{ text: await download(name, LONGEST_FILE, io.signal), source: name }];
  const [place = name] = pathsOf([name]);
  const paths = statSync(place).isDirectory() ? filesIn(place, recursive) : [place];
  if (paths.length === 0)
    throw new EmptyFolderError(`error reading [${name}]: recognized file extensions are [${EXTENSIONS.join(' ')}]`);
  return paths.map((file) => ({ text: readText(file), source: file }));
}

function readText(file: string): string {
  if (statSync(file).size > LONGEST_FILE) throw new CommandError(`${file} is too large for a manifest`);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(fileWords(error, file));
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

interface Document {
  readonly document?: unknown;
  /** The text of the document, if it is JSON. */
  readonly written?: string;
  /** The reason why the document is malformed. It is the last document then. */
  readonly mistake?: CommandError;
}

/** The documents of a text, up to the first error. */
async function parseDocuments(text: string, source: string): Promise<Document[]> {
  if (/^\s*\{/.test(text)) {
    const { values, mistake } = parseJsonStream(text);
    const documents: Document[] = values.map(({ value, text: written }) => ({ document: value, written }));
    if (mistake === undefined) return documents;
    const { message, offset } = mistake;
    const what = offset === undefined ? 'unexpected EOF' : `json: offset ${offset}: ${message}`;
    return [...documents, { mistake: new CommandError(`error parsing ${source}: ${what}`) }];
  }
  const { parseYamlDocuments } = await import('./parse-yaml.ts');
  const documents: Document[] = [];
  try {
    for (const part of separated(text, source))
      for (const document of parseYamlDocuments(part, source)) documents.push({ document });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    documents.push({ mistake: error });
  }
  return documents;
}

/**
 * The texts between lines that begin with `---`.
 * @throws CommandError if such a line has other text
 */
function* separated(text: string, source: string): Generator<string> {
  let part = '';
  for (const line of text.split(/(?<=\n)/)) {
    if (!line.startsWith('---')) {
      part += line;
      continue;
    }
    const behind = line.slice(3).trim();
    if (behind !== '' && !behind.startsWith('#'))
      throw new CommandError(`error parsing ${source}: invalid Yaml document separator: ${behind}`);
    if (part !== '') yield part;
    part = '';
  }
  if (part !== '') yield part;
}
