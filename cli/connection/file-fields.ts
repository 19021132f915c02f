import { readFileSync } from 'node:fs';
import { ConnectionFileError } from '#program/connection/connection.ts';
import { type ConnectionFields, readConnectionDocument } from '#program/connection/connection-document.ts';
import { CommandError } from '../framework/errors.ts';
import { fileWords } from '../framework/file-words.ts';
import { parseYamlDocuments } from '../manifests/parse-yaml.ts';

/**
 * The content of a connection file. Undefined if the file does not exist.
 * @throws CommandError with the file's error, in the words that users of the field's client know
 */
export function fileFields(file: string): ConnectionFields | undefined {
  try {
    return readConnectionDocument(file).fields;
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (!(error instanceof ConnectionFileError)) throw error;
    throw new CommandError(`error loading config file "${file}": ${mistakeIn(file) ?? error.message}`);
  }
}

/** Whether the reader of connection files failed because a file does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof ConnectionFileError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}

/** The reason why the text of a file is not an object, in the words that users know. Undefined if it is one. */
function mistakeIn(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return fileWords(error, file);
  }
  let document: unknown;
  try {
    [document] = parseYamlDocuments(text, file, true);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return error.message.replace(`error parsing ${file}: error converting YAML to JSON: `, '');
  }
  if (typeof document === 'object' && !Array.isArray(document)) return undefined;
  const form = Array.isArray(document) ? 'array' : typeof document === 'boolean' ? 'bool' : typeof document;
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${form} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}
