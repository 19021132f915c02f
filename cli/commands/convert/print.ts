import { CommandError } from '../../framework/errors.ts';
import type { Flags } from '../../framework/flag.ts';
import { listOf } from '../../output/list-of.ts';
import { printerFor, typedJson, withoutManaged } from '../../output/printer.ts';
import type { Printer } from '../../output/printing.ts';
import { toYaml } from '../../output/yaml.ts';
import type { Converted } from './convert-objects.ts';

const yamlPrinter: Printer = { print: toYaml };

/**
 * The function that writes one object or a list in the form of `-o`. Without `-o`, it writes YAML.
 * @throws CommandError if the value of `-o` is wrong
 */
export async function objectsPrinter(flags: Flags): Promise<(objects: readonly Converted[], list: boolean) => string> {
  const output = flags.text('output').toLowerCase();
  const printer = output === 'json' ? typedJson(flags) : ((await printerFor(flags)) ?? yamlPrinter);
  return (objects, list) => {
    if (list && output === 'name') throw new CommandError('list types are not supported by name printing: *v1.List');
    const items = objects.map(({ object }) => {
      return flags.bool('show-managed-fields') ? object : withoutManaged(object);
    });
    return printer.print(list ? listOf(items) : items[0]!);
  };
}
