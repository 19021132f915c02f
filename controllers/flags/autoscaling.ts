import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const autoscalingFlags = [
  {
    name: 'concurrent-horizontal-pod-autoscaler-syncs',
    type: 'int',
    default: '5',
    built: true,
    about: 'autoscalers worked on at once',
  },
  {
    name: 'horizontal-pod-autoscaler-sync-period',
    type: 'duration',
    default: '15s',
    built: true,
    about: 'how often each autoscaler looks at its target',
  },
] as const satisfies readonly FlagDefinition[];
