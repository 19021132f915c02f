import type { WriteOptions } from '#client/resource-client.ts';
import type { Invocation } from '../command-line/command.ts';
import { CommandError } from '../framework/errors.ts';
import type { DryRun } from './dry-run.ts';

const VALIDATIONS: ReadonlyMap<string, NonNullable<WriteOptions['fieldValidation']>> = new Map([
  ['strict', 'Strict'],
  ['true', 'Strict'],
  ['warn', 'Warn'],
  ['ignore', 'Ignore'],
  ['false', 'Ignore'],
]);

/**
 * How the server validates fields, from `--validate`. Undefined if the command has no such flag.
 * @throws CommandError for a wrong value
 */
function fieldValidation({ flags }: Invocation): WriteOptions['fieldValidation'] {
  if (!flags.knows('validate')) return undefined;
  const text = flags.text('validate');
  const validation = VALIDATIONS.get(text.toLowerCase());
  if (validation === undefined)
    throw new CommandError(
      `invalid - validate option ${JSON.stringify(text)}; must be one of: strict (or true), warn, ignore (or false)`,
    );
  return validation;
}

/**
 * The options that all writes of a command share. The first is the manager of the fields, from `--field-manager`, or
 * else from the program and `what`. If it is empty, the server derives it from the program, and refuses to apply. The
 * others are the handling of unknown fields, and whether the write is a dry run.
 */
export async function writeOptions(
  invocation: Invocation,
  what: string,
  dryRun: DryRun,
): Promise<WriteOptions & { readonly fieldManager: string }> {
  const { flags, session } = invocation;
  const isGiven = flags.knows('field-manager') && flags.has('field-manager');
  return {
    dryRun: dryRun === 'server',
    fieldManager: isGiven ? flags.text('field-manager') : `${(await session.naming()).commandLine}${what}`,
    fieldValidation: fieldValidation(invocation),
    timeoutMs: session.settings.requestTimeoutMs,
    signal: session.io.signal,
  };
}
