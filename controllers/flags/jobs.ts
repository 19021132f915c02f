import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const cronJobFlags = [
  {
    name: 'concurrent-cron-job-syncs',
    type: 'int',
    default: '5',
    built: true,
    about: 'number of cron jobs that are processed at the same time',
  },
] as const satisfies readonly FlagDefinition[];

export const jobFlags = [
  {
    name: 'concurrent-job-syncs',
    type: 'int',
    default: '5',
    built: true,
    about: 'number of jobs that are processed at the same time',
  },
] as const satisfies readonly FlagDefinition[];
