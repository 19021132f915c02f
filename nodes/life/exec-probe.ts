import type { Probe } from '#schema/generated/core.v1.ts';
import type { Wishes } from './wishes.ts';

/** Defaults of probes, for objects of servers that do not set them. */
const EVERY_SECONDS = 10;
const FAILURES = 3;
const TIMEOUT_SECONDS = 1;

/**
 * The exit code of a command in a container. It is the wish `exec-exit-code` if there is one. Otherwise it is the code
 * of the command itself, if the command is `false` or ends with `exit N`. Otherwise it is 0.
 */
export function exitCodeOf(command: readonly string[], wishes: Wishes): number {
  const wished = wishes.execExitCode;
  if (wished !== undefined) return wished;
  const exit = /(?:^|[\s;])exit (\d{1,3})$/.exec(command.join(' '));
  if (exit !== null) return Number(exit[1]) % 256;
  return Number(command.length > 0 && command.at(-1)!.trim() === 'false');
}

/**
 * Why a probe that executes a command fails; undefined if it succeeds. Other probes succeed. No program listens in a
 * simulated container, so only annotations make them fail.
 */
export function execFailure(probe: Probe | undefined, wishes: Wishes): string | undefined {
  const command = probe?.exec?.command;
  if (command === undefined) return undefined;
  const code = exitCodeOf(command, wishes);
  if (code !== 0) return `simulated: ${command.join(' ')} would end with ${code}`;
  const timeout = probe?.timeoutSeconds || TIMEOUT_SECONDS;
  const [, seconds] = /(?:^|\s)sleep (\d{1,9})$/.exec(command.join(' ')) ?? [];
  if (seconds === undefined || Number(seconds) < timeout) return undefined;
  return `simulated: ${command.join(' ')} would take longer than ${timeout}s`;
}

/** How long a container runs until a probe that always fails has reached its limit of failures, in milliseconds. */
export function failsAfterMs({ initialDelaySeconds, periodSeconds, failureThreshold }: Probe): number {
  const more = (failureThreshold || FAILURES) - 1;
  return ((initialDelaySeconds ?? 0) + more * (periodSeconds || EVERY_SECONDS)) * 1000;
}
