import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const podGarbageCollectorFlags = [
  {
    name: 'terminated-pod-gc-threshold',
    type: 'int',
    default: '12500',
    built: true,
    about: 'number of finished pods above which the oldest are deleted; 0 or less for no limit',
  },
] as const satisfies readonly FlagDefinition[];

export const nodeLifecycleFlags = [
  {
    name: 'enable-taint-manager',
    type: 'bool',
    default: 'true',
    deprecated: true,
    about: 'evict pods that do not tolerate the taints of their nodes',
  },
  {
    name: 'large-cluster-size-threshold',
    type: 'int',
    default: '50',
    built: true,
    about: 'while a zone is disrupted, no pods of it are evicted if it has at most this number of nodes',
  },
  {
    name: 'node-eviction-rate',
    type: 'float32',
    default: '0.1',
    built: true,
    about: 'number of failed nodes per second whose pods are evicted, in each zone',
  },
  {
    name: 'node-monitor-grace-period',
    type: 'duration',
    default: '40s',
    built: true,
    about: 'time without a report after which the state of a node is unknown',
  },
  {
    name: 'node-monitor-period',
    type: 'duration',
    default: '5s',
    built: true,
    about: 'interval between two checks of all nodes',
  },
  {
    name: 'node-startup-grace-period',
    type: 'duration',
    default: '1m0s',
    built: true,
    about: 'time in which a new node must report its first status',
  },
  {
    name: 'pod-eviction-timeout',
    type: 'duration',
    default: '5m0s',
    deprecated: true,
    about: 'tolerations decide how long pods stay on failed nodes',
  },
  {
    name: 'secondary-node-eviction-rate',
    type: 'float32',
    default: '0.01',
    built: true,
    about: 'rate as in --node-eviction-rate, for large zones that are disrupted',
  },
  {
    name: 'unhealthy-zone-threshold',
    type: 'float32',
    default: '0.55',
    built: true,
    about: 'a zone counts as disrupted if this share of its nodes, and at least three nodes, are not ready',
  },
] as const satisfies readonly FlagDefinition[];
