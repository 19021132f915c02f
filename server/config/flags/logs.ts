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
      'how much is logged: from 3 on each request, from 4 on also what helps to find mistakes (debug), from 6 on everything (trace)',
  },
  {
    name: 'slow-request-threshold',
    type: 'duration',
    default: '1s',
    built: true,
    about: 'duration from which a request is logged with the time of its stages; 0 for no such lines',
  },
  { name: 'vmodule', type: 'string', built: true, about: 'accepted with a warning: --v applies to the whole log' },
] as const satisfies readonly FlagDefinition[];
