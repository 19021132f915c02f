import type { Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flag } from '../../framework/flag.ts';
import { labelSelectorFlag } from '../../resources/flags.ts';
import { containerFlag, runningTimeoutFlag } from '../../streams/flags.ts';

export const logFlags: readonly Flag[] = [
  { name: 'all-containers', type: 'bool', help: 'Show the logs of all containers of the pods' },
  {
    name: 'all-pods',
    type: 'bool',
    help: 'Show the logs of all pods of the object, with pod and container before each line',
  },
  containerFlag,
  { name: 'follow', short: 'f', type: 'bool', help: 'Follow the log: show new lines as they are written' },
  { name: 'ignore-errors', type: 'bool', help: 'Continue with the other logs if a log cannot be read' },
  {
    name: 'insecure-skip-tls-verify-backend',
    type: 'bool',
    help: 'Do not verify the certificate of the node that sends the log',
  },
  { name: 'limit-bytes', type: 'int', default: 0, help: 'Largest number of bytes to show of each log; 0 shows all' },
  { name: 'max-log-requests', type: 'int', default: 5, help: 'Largest number of logs to follow at the same time' },
  runningTimeoutFlag('20s'),
  { name: 'prefix', type: 'bool', help: 'Put pod and container before each line' },
  { name: 'previous', short: 'p', type: 'bool', help: 'Show the log of the container from before its last restart' },
  labelSelectorFlag,
  { name: 'since', type: 'duration', default: '0s', help: 'Show only lines that are newer than this: 5s, 2m, 3h' },
  { name: 'since-time', type: 'string', help: 'Show only lines that were written after this time (RFC 3339)' },
  {
    name: 'tail',
    type: 'int',
    default: -1,
    help: 'Number of last lines to show; -1 shows all, or with a selector the last 10',
  },
  { name: 'timestamps', type: 'bool', help: 'Put the time before each line' },
];

/** The number of lines of each log, if a selector selects pods and no flag names a number. */
const TAIL_OF_MANY = 10;

/** The parts of a time, by their names in errors. */
const TIME_PARTS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^\d{4}/, '2006'],
  [/^-/, '-'],
  [/^\d\d/, '01'],
  [/^-/, '-'],
  [/^\d\d/, '02'],
  [/^T/, 'T'],
  [/^\d\d/, '15'],
  [/^:/, ':'],
  [/^\d\d/, '04'],
  [/^:/, ':'],
  [/^\d\d(?:\.\d+)?/, '05'],
  [/^(?:Z|[+-]\d\d:\d\d)/, 'Z07:00'],
];

/** The error about a time. Undefined means that the time is correct. */
function mistakeInTime(text: string): string | undefined {
  let rest = text;
  for (const [pattern, name] of TIME_PARTS) {
    const match = pattern.exec(rest);
    if (match === null) return `cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(name)}`;
    rest = rest.slice(match[0].length);
  }
  if (rest !== '') return `extra text: ${JSON.stringify(rest)}`;
  return Number.isNaN(Date.parse(text)) ? 'out of range' : undefined;
}

/** The query of the request for each log, without the container. @throws CommandError for a wrong value */
export function logQuery({ flags }: Invocation): URLSearchParams {
  const query = new URLSearchParams();
  for (const [flag, name] of [
    ['follow', 'follow'],
    ['insecure-skip-tls-verify-backend', 'insecureSkipTLSVerifyBackend'],
    ['previous', 'previous'],
    ['timestamps', 'timestamps'],
  ] as const)
    if (flags.bool(flag)) query.set(name, 'true');
  const since = flags.text('since-time');
  if (since !== '') {
    const mistake = mistakeInTime(since);
    if (mistake !== undefined)
      throw new CommandError(`parsing time ${JSON.stringify(since)} as "2006-01-02T15:04:05Z07:00": ${mistake}`);
    query.set('sinceTime', since);
  }
  const sinceMs = flags.duration('since');
  if (sinceMs !== 0) query.set('sinceSeconds', String(Math.ceil(sinceMs / 1000)));
  const bytes = flags.int('limit-bytes');
  if (bytes !== 0) query.set('limitBytes', String(bytes));
  const tail = flags.has('tail') || flags.text('selector') === '' ? flags.int('tail') : TAIL_OF_MANY;
  if (tail >= 0) query.set('tailLines', String(tail));
  return query;
}

/** @throws CommandError for flags that exclude each other, or for a wrong value */
export function validateLogs({ flags, args }: Invocation, container: string): void {
  if (flags.text('since-time') !== '' && flags.duration('since') !== 0)
    throw new CommandError('at most one of `sinceTime` or `sinceSeconds` may be specified');
  if (flags.duration('since') < 0) throw new CommandError('--since must be greater than 0');
  if (flags.int('limit-bytes') < 0) throw new CommandError('--limit-bytes must be greater than 0');
  if (flags.int('tail') < -1) throw new CommandError('--tail must be greater than or equal to -1');
  if (flags.bool('all-containers') && container !== '')
    throw new CommandError(`--all-containers=true should not be specified with container name ${container}`);
  if (args.length === 2 && flags.has('container'))
    throw new CommandError('only one of -c or an inline [CONTAINER] arg is allowed');
}
