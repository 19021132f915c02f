import { CommandError } from '../frame/errors.ts';
import { parseYamlDocuments } from '../resources/parse-yaml.ts';

const UNREAD: Readonly<Record<string, string>> = {
  EISDIR: 'is a directory',
  EACCES: 'permission denied',
};

/** What is said of a connection file that cannot be read at all. */
export function unreadFile(file: string, error: unknown): CommandError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = UNREAD[code ?? ''];
  const verb = code === 'EISDIR' ? 'read' : 'open';
  return new CommandError(
    `error loading config file "${file}": ${why === undefined ? message : `${verb} ${file}: ${why}`}`,
  );
}

/** What is said of the text of a connection file that is not what such a file holds; undefined where it is. */
export function fileMistake(file: string, text: string): CommandError | undefined {
  let document: unknown;
  try {
    [document] = parseYamlDocuments(text, file);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const what = error.message.replace(`error parsing ${file}: error converting YAML to JSON: `, '');
    return new CommandError(`error loading config file "${file}": ${what}`);
  }
  if (document === undefined || document === null || (typeof document === 'object' && !Array.isArray(document)))
    return undefined;
  const form = Array.isArray(document) ? 'array' : typeof document === 'boolean' ? 'bool' : typeof document;
  return new CommandError(
    `error loading config file "${file}": couldn't get version/kind; json parse error: json: cannot unmarshal ${form} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  );
}
