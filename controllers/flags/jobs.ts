import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const cronJobFlags = [
  {
    name: 'concurrent-cron-job-syncs',
    type: 'int',
    default: '5',
    built: true,
    about: 'cron jobs worked on at once',
  },
] as const satisfies readonly FlagDefinition[];

export const jobFlags = [
  { name: 'concurrent-job-syncs', type: 'int', default: '5', built: true, about: 'jobs worked on at once' },
] as const satisfies readonly FlagDefinition[];
