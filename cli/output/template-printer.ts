import { CommandError } from '../frame/errors.ts';
import { readTemplate } from './jsonpath-printer.ts';
import type { Printer } from './printing.ts';
import { execute, TemplateError } from './template/execute.ts';
import { parseGoTemplate, TemplateSyntaxError } from './template/parse.ts';

/** The printer of `-o go-template=…`, `go-template-file=…` and their short names. @throws CommandError */
export function templatePrinter(format: string, argument: string | undefined): Printer {
  if (argument === undefined || argument === '')
    throw new CommandError('template format specified but no template given');
  const text = format.endsWith('file') ? readTemplate(argument) : argument;
  const parsed = parse(text);
  return {
    print: (object) => {
      try {
        return execute(parsed, object);
      } catch (error) {
        if (error instanceof TemplateError || isTooDeep(error))
          throw new CommandError(`error executing template ${JSON.stringify(text)}: ${(error as Error).message}`);
        throw error;
      }
    },
  };
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

/** Parts in parts, more than there is room to follow. */
export function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError;
}
