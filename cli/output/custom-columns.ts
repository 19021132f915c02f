import { readFileSync } from 'node:fs';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { CommandError } from '../framework/errors.ts';
import { fileWords } from '../framework/file-words.ts';
import type { Flags } from '../framework/flag.ts';
import { goText } from './go-syntax.ts';
import { evaluate, PathError } from './jsonpath/evaluate.ts';
import type { Node } from './jsonpath/parse.ts';
import { pathText, relaxedPath } from './jsonpath/relaxed.ts';
import type { Printer } from './printing.ts';
import { TabWriter } from './tab-writer.ts';

interface Column {
  readonly heading: string;
  /** The path of a column. It is parsed when the first object is written, after the headings. */
  readonly path: string;
}

/**
 * The printer of `-o custom-columns=…` and `custom-columns-file=…`.
 * @throws CommandError if the columns are malformed
 */
export function customColumns(format: string, argument: string | undefined, flags: Flags): Printer {
  if (argument === undefined || argument === '')
    throw new CommandError('custom-columns format specified but no custom columns given');
  const columns = format === 'custom-columns-file' ? fromFile(argument) : fromText(argument);
  const withHeadings = !(flags.knows('no-headers') && flags.bool('no-headers'));
  let paths: readonly Node[][] | undefined;
  return {
    print: (object) => {
      const writer = new TabWriter();
      const items = object['items'];
      if (paths === undefined && withHeadings) writer.line(columns.map(({ heading }) => heading));
      try {
        paths ??= columns.map(({ path }) => relaxedPath(path));
        for (const each of Array.isArray(items) ? (items as ApiObject[]) : [object])
          writer.text(paths.map((path) => cellOf(each, path)).join('\t'));
      } catch (error) {
        if (!(error instanceof PathError || error instanceof CommandError)) throw error;
        throw new CommandError(error.message, { output: writer.flush() });
      }
      return writer.flush();
    },
  };
}

function cellOf(object: ApiObject, path: readonly Node[]): string {
  const values = evaluate(path, object, true).flat();
  return values.length === 0 ? '<none>' : values.map((value) => (value === null ? '<none>' : goText(value))).join(',');
}

function fromText(text: string): Column[] {
  return text.split(',').map((part) => {
    const colon = part.indexOf(':');
    if (colon < 0)
      throw new CommandError(`unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`);
    return { heading: part.slice(0, colon), path: pathText(part.slice(colon + 1)) };
  });
}

/** Parses a file that has headings in the first line and their paths in the second. */
function fromFile(file: string): Column[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`error reading template ${file}, ${fileWords(error, file)}`);
  }
  const [headings = [], paths = []] = text.split('\n').map((line) => line.trim().split(/\s+/).filter(Boolean));
  if (text === '')
    throw new CommandError(
      'invalid template, missing header line. Expected format is one line of space separated headers, one line of space separated column specs.',
    );
  if (paths.length === 0)
    throw new CommandError(
      'invalid template, missing spec line. Expected format is one line of space separated headers, one line of space separated column specs.',
    );
  if (headings.length === 0 || headings.length !== paths.length)
    throw new CommandError(
      `number of headers (${headings.length}) and field specifications (${paths.length}) don't match`,
    );
  return headings.map((heading, at) => ({ heading, path: pathText(paths[at]!) }));
}
