import { CommandError } from '../framework/errors.ts';
import { toCompactJson } from '../manifests/json.ts';
import { goText } from './go-syntax.ts';
import { readTemplate } from './jsonpath-printer.ts';
import type { Printer } from './printing.ts';
import { type Executed, execute } from './template/execute.ts';
import type { Parsed } from './template/node.ts';
import { parseGoTemplate, TemplateSyntaxError } from './template/parse.ts';

/**
 * The printer of `-o go-template=…`, `go-template-file=…` and their short names.
 * @throws CommandError if the template is malformed
 */
export function templatePrinter(format: string, argument: string | undefined, allowMissing: boolean): Printer {
  if (argument === undefined || argument === '')
    throw new CommandError('template format specified but no template given');
  const text = format.endsWith('file') ? readTemplate(argument) : argument;
  const parsed = parse(text);
  return {
    print: (object) => {
      const { text: made, mistake } = run(parsed, object, allowMissing);
      if (mistake === undefined) return made;
      const help = `Error executing template: ${mistake}. Printing more information for debugging the template:\n\ttemplate was:\n\t\t${text}\n\traw data was:\n\t\t${toCompactJson(object)}\n\tobject given to template engine was:\n\t\t${goText(object)}\n\n`;
      throw new CommandError(`error executing template ${JSON.stringify(text)}: ${mistake}`, { output: made + help });
    },
  };
}

function run(parsed: Parsed, object: unknown, allowMissing: boolean): Executed {
  try {
    return execute(parsed, object, { allowMissing });
  } catch (error) {
    if (isTooDeep(error)) throw new CommandError('error executing template: it is nested too deeply');
    throw error;
  }
}

function parse(text: string) {
  try {
    return parseGoTemplate(text);
  } catch (error) {
    if (error instanceof TemplateSyntaxError)
      throw new CommandError(`error parsing template ${text}, template: output:${error.line}: ${error.message}`);
    if (isTooDeep(error)) throw new CommandError('error parsing template: it is nested too deeply');
    throw error;
  }
}

/** Whether an error says that the stack was not large enough for nested parts. */
export function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError;
}
