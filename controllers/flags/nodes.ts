import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const podGarbageCollectorFlags = [
  {
    name: 'terminated-pod-gc-threshold',
    type: 'int',
    default: '12500',
    built: true,
    about: 'how many finished pods may exist before the oldest are deleted; 0 or less means any number',
  },
] as const satisfies readonly FlagDefinition[];

export const nodeLifecycleFlags = [
  {
    name: 'enable-taint-manager',
    type: 'bool',
    default: 'true',
    deprecated: true,
    about: 'taints of nodes decide which pods are evicted',
  },
  {
    name: 'large-cluster-size-threshold',
    type: 'int',
    default: '50',
    built: true,
    about: 'in a disrupted zone of at most so many nodes no pods are evicted',
  },
  {
    name: 'node-eviction-rate',
    type: 'float32',
    default: '0.1',
    built: true,
    about: 'how many failed nodes a second lose their pods, in each zone',
  },
  {
    name: 'node-monitor-grace-period',
    type: 'duration',
    default: '40s',
    built: true,
    about: 'how long a node may be silent before its state counts as unknown',
  },
  {
    name: 'node-monitor-period',
    type: 'duration',
    default: '5s',
    built: true,
    about: 'how often all nodes are looked at',
  },
  {
    name: 'node-startup-grace-period',
    type: 'duration',
    default: '1m0s',
    built: true,
    about: 'how long a new node may be silent before its first status',
  },
  {
    name: 'pod-eviction-timeout',
    type: 'duration',
    default: '5m0s',
    deprecated: true,
    about: 'tolerations of pods say how long they stay on nodes that failed',
  },
  {
    name: 'secondary-node-eviction-rate',
    type: 'float32',
    default: '0.01',
    built: true,
    about: 'the same as --node-eviction-rate, in large zones that are disrupted',
  },
  {
    name: 'unhealthy-zone-threshold',
    type: 'float32',
    default: '0.55',
    built: true,
    about: 'a zone is disrupted when this share of its nodes, and at least three, are not ready',
  },
] as const satisfies readonly FlagDefinition[];
