import type { FlagDefinition } from '../../flags/flag-definition.ts';

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
    about: 'json, or text, which is accepted with a warning: the log is lines of JSON',
  },
  { name: 'logtostderr', type: 'bool', default: 'true', deprecated: true, about: 'the log goes to standard output' },
  {
    name: 'v',
    type: 'Level',
    built: true,
    about: 'how much is logged: from 4 on also what helps to find mistakes (debug), from 6 on everything (trace)',
  },
  { name: 'vmodule', type: 'string', built: true, about: 'accepted with a warning: --v is for the whole log' },
] as const satisfies readonly FlagDefinition[];
