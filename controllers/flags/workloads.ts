import type { FlagDefinition } from '#program/flags/flag-definition.ts';

/** Flags of the controllers that keep pods running, by section. */
export const workloadFlags = {
  'Daemonset controller': [
    {
      name: 'concurrent-daemonset-syncs',
      type: 'int',
      default: '2',
      built: true,
      about: 'number of daemon sets that are processed at the same time',
    },
  ],
  'Deployment controller': [
    {
      name: 'concurrent-deployment-syncs',
      type: 'int',
      default: '5',
      built: true,
      about: 'number of deployments that are processed at the same time',
    },
  ],
  'Replicaset controller': [
    {
      name: 'concurrent-replicaset-syncs',
      type: 'int',
      default: '5',
      built: true,
      about: 'number of replica sets that are processed at the same time',
    },
  ],
  Replicationcontroller: [
    {
      name: 'concurrent-rc-syncs',
      type: 'int',
      default: '5',
      built: true,
      about: 'number of replication controllers that are processed at the same time',
    },
  ],
  'Statefulset controller': [
    {
      name: 'concurrent-statefulset-syncs',
      type: 'int',
      default: '5',
      built: true,
      about: 'number of stateful sets that are processed at the same time',
    },
  ],
} as const satisfies Readonly<Record<string, readonly FlagDefinition[]>>;
