import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const podGarbageCollectorFlags = [
  {
    name: 'terminated-pod-gc-threshold',
    type: 'int',
    default: '12500',
    built: true,
    about: 'finished pods that may exist before the oldest of them are deleted; 0 or less is any number',
  },
] as const satisfies readonly FlagDefinition[];
