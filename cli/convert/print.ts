import type { JsonObject, JsonValue } from '../../server/json/json-value.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import { CommandError } from '../frame/errors.ts';
import type { Flags } from '../frame/flag.ts';
import { printerFor, typedJson, withoutManaged } from '../output/printer.ts';
import type { Printer } from '../output/printing.ts';
import { toYaml } from '../output/yaml.ts';
import type { Converted } from './convert-objects.ts';

const yamlPrinter: Printer = { print: toYaml };

/** How `-o` writes objects, as YAML where nobody says: the one, or a list. @throws CommandError where `-o` is wrong */
export async function objectsPrinter(flags: Flags): Promise<(objects: readonly Converted[], list: boolean) => string> {
  const output = flags.text('output').toLowerCase();
  const printer = output === 'json' ? typedJson(flags) : ((await printerFor(flags)) ?? yamlPrinter);
  return (objects, list) => {
    if (list && output === 'name') throw new CommandError('list types are not supported by name printing: *v1.List');
    const items = objects.map(({ object }) => {
      return (flags.bool('show-managed-fields') ? object : withoutManaged(object)) as unknown as JsonObject;
    });
    return printer.print((list ? listOf(items) : items[0]) as unknown as ApiObject);
  };
}

function listOf(items: readonly JsonValue[]): JsonObject {
  return { kind: 'List', apiVersion: 'v1', metadata: {}, items: [...items] };
}
