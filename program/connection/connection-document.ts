import { readFileSync } from 'node:fs';
import { append } from '#base/collections/append.ts';
import { ConfigError } from '#base/errors/config-error.ts';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { connectionFile } from '../operator-files/connection-file-kind.ts';
import { problemsOfKind, type ValueOfKind } from '../operator-files/operator-kind.ts';
import { type FilePart, readText } from '../operator-files/read-file.ts';
import type { Problem } from '../operator-files/validate.ts';
import { ConnectionFileError } from './connection.ts';
import { readPlainYaml } from './plain-yaml.ts';

/** The content of a connection file: each field has the required type. */
export type ConnectionFields = ValueOfKind<typeof connectionFile>;

/** One connection file, and the places of its parts. */
export class ConnectionDocument {
  /** The name of the file in messages. */
  readonly file: string;
  readonly fields: ConnectionFields;
  readonly #text: string;
  readonly #unknown: readonly Problem[];
  #part: FilePart | undefined;

  /**
   * @param isStrict whether a repeated field or a second document is an error. Otherwise the last field and the first
   * document are used, as in the field's own clients.
   * @throws ConnectionFileError with a line for each mistake. An unknown field is not a mistake.
   */
  constructor(file: string, text: string, isStrict: boolean) {
    this.file = file;
    this.#text = text;
    // Plain text has no repeated field and one document. The slow reader of places is loaded only for errors, which
    // need a place.
    const value = readPlainYaml(text) ?? this.#places(!isStrict).value ?? {};
    // Both profiles have the same word for the version.
    const problems = problemsOfKind(value, connectionFile, createNaming(namingProfiles[0]!));
    this.#unknown = problems.filter(({ isUnknown }) => isUnknown);
    this.fields = value as ConnectionFields;
    const mistakes = problems.filter(({ isUnknown }) => isUnknown !== true);
    if (mistakes.length === 0) append(mistakes, this.#repeatedNames());
    if (mistakes.length > 0 || (isStrict && this.#part !== undefined)) this.refuse(mistakes);
  }

  /** A line for each unknown field. */
  unknownFields(): readonly string[] {
    return this.#unknown.length === 0 ? [] : this.#places().messages(this.#unknown);
  }

  /** @throws ConnectionFileError with a line for each problem; without problems it returns */
  refuse(problems: readonly Problem[]): void {
    const messages = this.#places().messages(problems);
    if (messages.length > 0) throw new ConnectionFileError(messages.join('\n'));
  }

  /** @throws ConnectionFileError if the text is not YAML */
  #places(firstOnly = true): FilePart {
    try {
      this.#part ??= readText(this.#text, this.file, firstOnly);
      return this.#part;
    } catch (error) {
      throw error instanceof ConfigError ? new ConnectionFileError(error.message) : error;
    }
  }

  #repeatedNames(): Problem[] {
    return (['clusters', 'users', 'contexts'] as const).flatMap((list) => {
      const seen = new Set<string>();
      return (this.fields[list] ?? []).flatMap(({ name }, i): Problem[] => {
        if (seen.has(name)) return [{ path: [list, i, 'name'], what: 'is the name of another one before it' }];
        seen.add(name);
        return [];
      });
    });
  }
}

/**
 * Reads one connection file.
 *
 * @param isStrict see the constructor of {@link ConnectionDocument}
 * @throws ConnectionFileError for a file that cannot be read, with the reason as its cause, and for mistakes in it
 */
export function readConnectionDocument(file: string, isStrict = false): ConnectionDocument {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConnectionFileError(`cannot read ${file}: ${why}`, { cause: error });
  }
  return new ConnectionDocument(file, text, isStrict);
}
