import type { FamilyDefinition } from '../family-definition.ts';

const SECONDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1, 10];

/** What the controller manager tells of its work. */
export const controllerFamilies = [
  {
    name: 'controller_manager_cached_objects',
    type: 'gauge',
    help: 'Objects in copies of collections.',
    stability: 'ALPHA',
  },
  {
    name: 'leader_election_master_status',
    type: 'gauge',
    help: 'Whether this instance holds the lease of that name (1) or waits for it (0).',
    labels: ['name'],
    stability: 'ALPHA',
  },
  {
    name: 'workqueue_adds_total',
    type: 'counter',
    help: 'Keys that were added to a queue.',
    labels: ['name'],
    stability: 'ALPHA',
  },
  {
    name: 'workqueue_depth',
    type: 'gauge',
    help: 'Keys that wait in a queue.',
    labels: ['name'],
    stability: 'ALPHA',
  },
  {
    name: 'workqueue_longest_running_processor_seconds',
    type: 'gauge',
    help: 'Time spent so far on the key that takes longest.',
    labels: ['name'],
    stability: 'ALPHA',
  },
  {
    name: 'workqueue_queue_duration_seconds',
    type: 'histogram',
    help: 'Time that keys wait in a queue.',
    labels: ['name'],
    buckets: SECONDS,
    stability: 'ALPHA',
  },
  {
    name: 'workqueue_retries_total',
    type: 'counter',
    help: 'Keys that failed and are tried again.',
    labels: ['name'],
    stability: 'ALPHA',
  },
  {
    name: 'workqueue_unfinished_work_seconds',
    type: 'gauge',
    help: 'Time spent so far on keys that are being worked on.',
    labels: ['name'],
    stability: 'ALPHA',
  },
  {
    name: 'workqueue_work_duration_seconds',
    type: 'histogram',
    help: 'Time that keys are worked on.',
    labels: ['name'],
    buckets: SECONDS,
    stability: 'ALPHA',
  },
] as const satisfies readonly FamilyDefinition[];
