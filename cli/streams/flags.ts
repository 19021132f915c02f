import type { Invocation } from '../command-line/command.ts';
import { CommandError, UsageError } from '../framework/errors.ts';
import type { Flag } from '../framework/flag.ts';

export const containerFlag: Flag = {
  name: 'container',
  short: 'c',
  type: 'string',
  help: 'Name of the container; by default the one of the default-container annotation, or the first',
};

/** The flags `-i`, `-t` and `-q`. */
export const terminalFlags: readonly Flag[] = [
  { name: 'quiet', short: 'q', type: 'bool', help: 'Print only the output of the process' },
  { name: 'stdin', short: 'i', type: 'bool', help: 'Pass standard input to the container' },
  { name: 'tty', short: 't', type: 'bool', help: 'Standard input is a terminal' },
];

export const runningTimeoutFlag = (time: string): Flag => ({
  name: 'pod-running-timeout',
  type: 'duration',
  default: time,
  help: 'Time limit to find a running pod',
});

/**
 * The value of `--pod-running-timeout`, in milliseconds.
 * @throws CommandError if the value is wrong, UsageError instead if `usage` is true
 */
export function runningTimeout({ flags }: Invocation, usage: boolean): number {
  const ms = flags.duration('pod-running-timeout');
  if (ms > 0) return ms;
  const text = '--pod-running-timeout must be higher than zero';
  throw usage ? new UsageError(text) : new CommandError(text);
}
