import type { Invocation } from '../command-line/command.ts';
import { CommandError } from '../framework/errors.ts';
import { truthOf } from '../framework/flag.ts';
import { logHeader } from '../framework/log-header.ts';

/** The effect of a write. It has all effects, all except storing, or none outside of this machine. */
export type DryRun = 'none' | 'server' | 'client';

/** The meaning of `--dry-run`. Warns about the form without a value. @throws CommandError for a wrong value */
export function dryRunOf({ flags, io }: Invocation): DryRun {
  const text = flags.text('dry-run');
  const warn = (given: string, instead: DryRun) =>
    io.err.write(
      `${logHeader('W', io)}--dry-run${given} is deprecated${given && ' (boolean value)'} and can be replaced with --dry-run=${instead}.\n`,
    );
  const truth = truthOf(text);
  if (truth !== undefined) {
    const instead = truth ? 'client' : 'none';
    warn(`=${text}`, instead);
    return instead;
  }
  switch (text) {
    case 'none':
    case 'server':
    case 'client':
      return text;
    case 'unchanged':
      warn('', 'client');
      return 'client';
    default:
      throw new CommandError(`Invalid dry-run value (${text}). Must be "none", "server", or "client".`);
  }
}

/** The end of the line that reports a write. */
export const dryRunSuffix: Readonly<Record<DryRun, string>> = {
  none: '',
  server: ' (server dry run)',
  client: ' (dry run)',
};
