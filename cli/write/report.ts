import type { DiscoveredType } from '../../client/discovery/discovered.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import type { Invocation } from '../frame/command.ts';
import { nameOf, printerFor, typedJson } from '../output/printer.ts';
import { type DryRun, dryRunSuffix } from './dry-run.ts';

/** Tells of one object that something was done: in the form that `-o` asks for, else in a line. */
export type Report = (object: ApiObject, type: DiscoveredType | undefined, done: string) => void;

/**
 * How a command reports what it writes. Objects that it has made itself (`typed`) keep the order of their fields as JSON.
 * @throws CommandError where `-o` is wrong
 */
export async function reporter({ flags, io }: Invocation, dryRun: DryRun, typed = false): Promise<Report> {
  const printer = typed && flags.text('output') === 'json' ? typedJson(flags) : await printerFor(flags);
  return (object, type, done) =>
    io.out.write(
      printer === undefined ? `${nameOf(object, type)} ${done}${dryRunSuffix[dryRun]}\n` : printer.print(object, type),
    );
}
