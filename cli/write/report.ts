import type { DiscoveredType } from '#client/discovery/discovered.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Invocation } from '../command-line/command.ts';
import { nameOf, printerFor } from '../output/printer.ts';
import { type DryRun, dryRunSuffix } from './dry-run.ts';

/** Reports the change to one object in the form of `-o`, or in one line. */
export type Report = (object: ApiObject, type: DiscoveredType | undefined, done: string) => void;

/**
 * How a command reports the objects that it writes. In JSON, objects that the command made (`typed`) have their fields
 * in the order of their type. Other objects have them in alphabetical order. The field's client does the same.
 * @throws CommandError if the value of `-o` is wrong
 */
export async function reporter({ flags, io, session }: Invocation, dryRun: DryRun, typed = false): Promise<Report> {
  const printer = await printerFor(flags);
  if (typed && printer !== undefined && flags.text('output').toLowerCase() === 'json') {
    const { jsonInFieldOrder } = await import('../output/ordered-json.ts');
    const json = await jsonInFieldOrder(session, flags.bool('show-managed-fields'));
    return (object) => io.out.write(json(object));
  }
  return (object, type, done) =>
    io.out.write(
      printer === undefined ? `${nameOf(object, type)} ${done}${dryRunSuffix[dryRun]}\n` : printer.print(object, type),
    );
}
