import type { FamilyDefinition } from '../family-definition.ts';

/** What is stored, and calls of etcd. */
export const storageFamilies = [
  {
    name: 'apiserver_storage_bytes_total',
    type: 'counter',
    help: 'Bytes of messages that went to the store and came from it.',
    labels: ['direction'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_storage_full',
    type: 'gauge',
    help: '1 while the store has reached its quota and takes deletions only.',
    stability: 'ALPHA',
    join: 'max',
  },
  {
    name: 'apiserver_storage_objects',
    type: 'gauge',
    help: 'Number of stored objects at the time of last check split by kind.',
    labels: ['resource'],
    stability: 'STABLE',
    join: 'max',
  },
  {
    name: 'apiserver_storage_requests_total',
    type: 'counter',
    help: 'Calls of the store by what they do, each attempt counted.',
    labels: ['type'],
    stability: 'ALPHA',
  },
  {
    name: 'etcd_db_total_size_in_bytes',
    type: 'gauge',
    help: 'Total size of the etcd database file physically allocated in bytes.',
    labels: ['endpoint'],
    stability: 'ALPHA',
    join: 'max',
  },
  {
    name: 'etcd_request_duration_seconds',
    type: 'histogram',
    help: 'Etcd request latency in seconds for each operation and object type.',
    labels: ['operation', 'type'],
    buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
    stability: 'ALPHA',
  },
] as const satisfies readonly FamilyDefinition[];
