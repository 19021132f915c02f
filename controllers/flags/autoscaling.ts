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
  {
    name: 'horizontal-pod-autoscaler-downscale-stabilization',
    type: 'duration',
    default: '5m0s',
    built: true,
    about: 'for so long a target keeps the highest number of replicas that was recommended',
  },
  {
    name: 'horizontal-pod-autoscaler-tolerance',
    type: 'float32',
    default: '0.1',
    built: true,
    about: 'how far use may be from its target, as a part of it, before anything is done',
  },
  {
    name: 'horizontal-pod-autoscaler-cpu-initialization-period',
    type: 'duration',
    default: '5m0s',
    built: true,
    about: 'so long after its start the processor time of a pod counts only while the pod is ready',
  },
  {
    name: 'horizontal-pod-autoscaler-initial-readiness-delay',
    type: 'duration',
    default: '30s',
    built: true,
    about: 'a pod that became unready so soon after its start counts as one that was never ready',
  },
] as const satisfies readonly FlagDefinition[];
