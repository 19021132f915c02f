import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const logsFlags = [
  {
    name: 'log-flush-frequency',
    type: 'duration',
    default: '5s',
    built: true,
    about: 'accepted for manifests that give it: lines are written at once',
  },
  {
    name: 'logging-format',
    type: 'string',
    default: 'json',
    built: true,
    about: 'json, or text: a line with the time, the message in quotes and KEY=VALUE',
  },
  { name: 'logtostderr', type: 'bool', default: 'true', deprecated: true, about: 'the log goes to standard output' },
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
    about: 'requests that take at least so long leave a line in the log that says where their time went; 0: none do',
  },
  { name: 'vmodule', type: 'string', built: true, about: 'accepted with a warning: --v is for the whole log' },
] as const satisfies readonly FlagDefinition[];
