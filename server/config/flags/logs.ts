import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const logsFlags = [
  {
    name: 'log-flush-frequency',
    type: 'duration',
    default: '5s',
    built: true,
    about: 'accepted for compatibility: the server writes each line at once',
  },
  {
    name: 'logging-format',
    type: 'string',
    default: 'json',
    built: true,
    about: 'json, or text: a line with the time, the message in quotes and KEY=VALUE',
  },
  { name: 'logtostderr', type: 'bool', default: 'true', deprecated: true, about: 'write the log to standard output' },
  {
    name: 'v',
    type: 'Level',
    built: true,
    about:
      'verbosity of the log: 3 and above logs each request, 4 and above also debug messages, 6 and above also trace messages',
  },
  {
    name: 'slow-request-threshold',
    type: 'duration',
    default: '1s',
    built: true,
    about: 'requests that take at least this long are logged with the time of each stage; 0 for none',
  },
  { name: 'vmodule', type: 'string', built: true, about: 'accepted with a warning: --v applies to the whole log' },
] as const satisfies readonly FlagDefinition[];
