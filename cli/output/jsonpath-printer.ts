import { readFileSync } from 'node:fs';
import { CommandError } from '../framework/errors.ts';
import { fileWords } from '../framework/file-words.ts';
import { toCompactJson, toJson } from '../manifests/json.ts';
import { goSyntax, goText } from './go-syntax.ts';
import { evaluate, PathError } from './jsonpath/evaluate.ts';
import { PathSyntaxError, parseTemplate } from './jsonpath/parse.ts';
import type { Printer } from './printing.ts';

/** The largest size of the output. No person reads so much text. */
const LONGEST = 256 << 20;

/**
 * The printer of `-o jsonpath=…`, `jsonpath-file=…` and `jsonpath-as-json=…`.
 * @throws CommandError if the template is malformed
 */
export function jsonPathPrinter(format: string, argument: string | undefined, allowMissing: boolean): Printer {
  if (argument === undefined || argument === '')
    throw new CommandError('template format specified but no template given');
  const template = format === 'jsonpath-file' ? readTemplate(argument) : argument;
  const nodes = parse(template);
  return {
    print: (object) => {
      try {
        const results = evaluate(nodes, object, allowMissing);
        if (format === 'jsonpath-as-json') return results.map((values) => toJson(values)).join('');
        return joined(results);
      } catch (error) {
        if (!(error instanceof PathError))
          throw error instanceof RangeError ? new CommandError(`error executing jsonpath: ${error.message}`) : error;
        throw new CommandError(
          `error executing jsonpath ${JSON.stringify(template)}: Error executing template: ${error.message}. Printing more information for debugging the template:\n\ttemplate was:\n\t\t${template}\n\tobject given to jsonpath engine was:\n\t\t${goSyntax(object)}\n\n`,
        );
      }
    },
  };
}

/** Reads a file with a template. */
export function readTemplate(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`error reading --template ${file}, ${fileWords(error, file)}`);
  }
}

function parse(template: string) {
  try {
    return parseTemplate(template);
  } catch (error) {
    if (error instanceof PathSyntaxError)
      throw new CommandError(`error parsing jsonpath ${template}, ${error.message}`);
    if (error instanceof RangeError) throw new CommandError('error parsing jsonpath: it is nested too deeply');
    throw error;
  }
}

/** @throws PathError if the text is too long */
function joined(results: readonly (readonly unknown[])[]): string {
  let text = '';
  for (const values of results)
    for (const [at, value] of values.entries()) {
      text += at === 0 ? valueText(value) : ` ${valueText(value)}`;
      if (text.length > LONGEST) throw new PathError('the output is too long');
    }
  return text;
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return goText(value);
  return value === null || value === undefined ? '' : toCompactJson(value);
}
