import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const autoscalingFlags = [
  {
    name: 'concurrent-horizontal-pod-autoscaler-syncs',
    type: 'int',
    default: '5',
    built: true,
    about: 'number of autoscalers that are processed at the same time',
  },
  {
    name: 'horizontal-pod-autoscaler-sync-period',
    type: 'duration',
    default: '15s',
    built: true,
    about: 'interval between two checks of a target by its autoscaler',
  },
  {
    name: 'horizontal-pod-autoscaler-downscale-stabilization',
    type: 'duration',
    default: '5m0s',
    built: true,
    about: 'time for which a target keeps the highest recommended number of replicas',
  },
  {
    name: 'horizontal-pod-autoscaler-tolerance',
    type: 'float32',
    default: '0.1',
    built: true,
    about: 'how far usage may differ from its target, as a share of the target, before the autoscaler acts',
  },
  {
    name: 'horizontal-pod-autoscaler-cpu-initialization-period',
    type: 'duration',
    default: '5m0s',
    built: true,
    about: 'time after the start of a pod in which its processor time counts only while the pod is ready',
  },
  {
    name: 'horizontal-pod-autoscaler-initial-readiness-delay',
    type: 'duration',
    default: '30s',
    built: true,
    about: 'if a pod becomes unready within this time after its start, it counts as never ready',
  },
] as const satisfies readonly FlagDefinition[];
