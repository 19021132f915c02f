import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const featuresFlags = [
  {
    name: 'contention-profiling',
    type: 'bool',
    built: true,
    about: 'accepted with a warning: the process has no locks between threads to profile',
  },
  {
    name: 'profiling',
    type: 'bool',
    default: 'true',
    built: true,
    about: 'serve profiles of this process at /debug/pprof/, and changes of the verbosity at /debug/flags/v',
  },
] as const satisfies readonly FlagDefinition[];
