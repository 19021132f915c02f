import { readFileSync } from 'node:fs';
import type { Fields } from '#client/connection/connection-file.ts';
import { CommandError } from '../framework/errors.ts';
import { fileWords } from '../framework/file-words.ts';
import { parseYamlDocuments } from '../manifests/parse-yaml.ts';

/**
 * What a connection file holds; undefined where there is no such file.
 * @throws CommandError that says what is wrong with it, as users of the field's client know it
 */
export function fileFields(file: string): Fields | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw wrongFile(file, fileWords(error, file));
  }
  const [document] = documentsOf(file, text);
  if (document === undefined || document === null) return {};
  if (typeof document === 'object' && !Array.isArray(document)) return document as Fields;
  const form = Array.isArray(document) ? 'array' : typeof document === 'boolean' ? 'bool' : typeof document;
  throw wrongFile(
    file,
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${form} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  );
}

/** The error that a file is no connection file. */
export function wrongFile(file: string, what: string): CommandError {
  return new CommandError(`error loading config file "${file}": ${what}`);
}

function documentsOf(file: string, text: string): unknown[] {
  try {
    return parseYamlDocuments(text, file, true);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw wrongFile(file, error.message.replace(`error parsing ${file}: error converting YAML to JSON: `, ''));
  }
}
