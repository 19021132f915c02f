import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const featuresFlags = [
  {
    name: 'contention-profiling',
    type: 'bool',
    built: true,
    about: 'accepted with a warning: there are no locks between threads that could be profiled',
  },
  {
    name: 'profiling',
    type: 'bool',
    default: 'true',
    built: true,
    about: 'serve profiles of this process below /debug/pprof/, and take another verbosity at /debug/flags/v',
  },
] as const satisfies readonly FlagDefinition[];
