import type { FlagDefinition } from '#program/flags/flag-definition.ts';

/** Flags of the controllers that keep pods running, by section. */
export const workloadFlags = {
  'Daemonset controller': [
    {
      name: 'concurrent-daemonset-syncs',
      type: 'int',
      default: '2',
      built: true,
      about: 'daemon sets worked on at once',
    },
  ],
  'Deployment controller': [
    {
      name: 'concurrent-deployment-syncs',
      type: 'int',
      default: '5',
      built: true,
      about: 'deployments worked on at once',
    },
  ],
  'Replicaset controller': [
    {
      name: 'concurrent-replicaset-syncs',
      type: 'int',
      default: '5',
      built: true,
      about: 'replica sets worked on at once',
    },
  ],
  Replicationcontroller: [
    {
      name: 'concurrent-rc-syncs',
      type: 'int',
      default: '5',
      built: true,
      about: 'replication controllers worked on at once',
    },
  ],
  'Statefulset controller': [
    {
      name: 'concurrent-statefulset-syncs',
      type: 'int',
      default: '5',
      built: true,
      about: 'stateful sets worked on at once',
    },
  ],
} as const satisfies Readonly<Record<string, readonly FlagDefinition[]>>;
