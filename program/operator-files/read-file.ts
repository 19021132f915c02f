import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { TextDocument } from './document.ts';
import { type OperatorKind, problemsOfKind } from './operator-kind.ts';
import type { Path, Problem } from './validate.ts';

/** A value in an operator's file, and the problems found in it. */
export class FilePart {
  readonly value: unknown;
  readonly #document: TextDocument;
  readonly #path: Path;

  constructor(document: TextDocument, at: Path = [], value: unknown = document.value) {
    this.#document = document;
    this.#path = at;
    this.value = value;
  }

  /** The name of the file in messages. */
  get file(): string {
    return this.#document.file;
  }

  /** A part of this part. */
  part(at: Path, value: unknown): FilePart {
    return new FilePart(this.#document, [...this.#path, ...at], value);
  }

  /** A path in this file is relative to the folder of the file. */
  resolve(reference: string): string {
    return path.resolve(path.dirname(path.resolve(this.file)), reference);
  }

  /**
   * This value as an object of a kind.
   *
   * @throws ConfigError with a line for each problem: its file, line and column, the path, and the problem
   */
  as<T>(kind: OperatorKind<T>, naming: Naming): T {
    this.refuse(this.problems(kind, naming));
    return this.value as T;
  }

  /** The reason why this value is not of a kind. */
  problems(kind: OperatorKind<unknown>, naming: Naming): readonly Problem[] {
    return problemsOfKind(this.value, kind, naming);
  }

  /** @throws ConfigError with a line for each problem, in the order of the file; without problems it returns */
  refuse(problems: readonly Problem[]): void {
    const messages = this.messages(problems);
    if (messages.length > 0) throw new ConfigError(messages.join('\n'));
  }

  /** A line for each problem, and for each repeated field of an object in the file, in the order of the file. */
  messages(problems: readonly Problem[]): readonly string[] {
    const own = problems.map((problem) => ({ ...problem, path: [...this.#path, ...problem.path] }));
    const lines = [...this.#document.doubled, ...own].map((problem) => ({
      ...this.#document.placeOf(problem.path, problem.ofName),
      says: `${shownPath(problem)} ${problem.what}`,
    }));
    lines.sort((a, b) => a.line - b.line || a.column - b.column);
    return [...new Set(lines.map(({ line, column, says }) => `${this.file}:${line}:${column}: ${says}`))];
  }
}

/**
 * Reads a file that an operator wrote, in YAML or JSON.
 *
 * @param flag the flag that names it, for the message if it cannot be read
 * @throws ConfigError if the file cannot be read or is not YAML
 * @example readFile(file, 'tracing-config-file').as(tracing, naming)
 */
export function readFile(file: string, flag?: string): FilePart {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const where = flag === undefined ? '' : `flag --${flag}: `;
    throw new ConfigError(`${where}cannot read ${file}: ${(error as Error).message}`);
  }
  return readText(text, file);
}

/**
 * Like {@link readFile}, for a text that has already been read.
 *
 * @param firstOnly whether only the first document of several is read; otherwise a second one is a mistake
 * @throws ConfigError if the text is not YAML
 */
export function readText(text: string, file: string, firstOnly?: boolean): FilePart {
  return new FilePart(new TextDocument(text, file, firstOnly));
}

/** Matches a text that can be the name of a field. It is too short and too simple to be a misplaced key or token. */
const SHOWN = /^[A-Za-z][A-Za-z._-]{0,30}$/;

function shownPath({ path, isUnknown }: Problem): string {
  let text = '';
  for (const [i, step] of path.entries()) {
    const isShown = isUnknown !== true || i < path.length - 1 || SHOWN.test(String(step));
    if (typeof step === 'number') text += `[${step}]`;
    else text += `${text === '' ? '' : '.'}${isShown ? step : '(a field that is not shown)'}`;
  }
  return text === '' ? 'it' : text;
}
