import type { FamilyDefinition } from '../family-definition.ts';

/** Metrics of watches, and of the cache that serves watches and lists. */
export const watchFamilies = [
  {
    name: 'apiserver_init_events_total',
    type: 'counter',
    help: 'Counter of init events processed in watch cache broken by resource type.',
    labels: ['resource'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_watch_cache_events_dispatched_total',
    type: 'counter',
    help: 'Counter of events dispatched in watch cache broken by resource type.',
    labels: ['resource'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_watch_cache_initializations_total',
    type: 'counter',
    help: 'Counter of watch cache initializations broken by resource type.',
    labels: ['resource'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_watch_events_sizes',
    type: 'histogram',
    help: 'Watch event size distribution in bytes',
    labels: ['group', 'kind', 'version'],
    buckets: [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_watch_events_total',
    type: 'counter',
    help: 'Number of events sent in watch clients',
    labels: ['group', 'kind', 'version'],
    stability: 'ALPHA',
  },
  {
    name: 'watch_cache_bytes',
    type: 'gauge',
    help: 'Bytes of the objects in the watch cache.',
    stability: 'ALPHA',
  },
  {
    name: 'watch_cache_frontier_revision',
    type: 'gauge',
    help: 'The store revision of the watch cache.',
    stability: 'ALPHA',
    join: 'min',
  },
  {
    name: 'watch_cache_history_bytes',
    type: 'gauge',
    help: 'Bytes kept for the history of the watch cache.',
    stability: 'ALPHA',
  },
  {
    name: 'watch_cache_history_entries',
    type: 'gauge',
    help: 'Changes in the history of the watch cache.',
    stability: 'ALPHA',
  },
  {
    name: 'watch_cache_relists',
    type: 'gauge',
    help: 'Number of times that the watch cache was filled again.',
    stability: 'ALPHA',
  },
  {
    name: 'watch_cache_subscriptions',
    type: 'gauge',
    help: 'Watches served by the watch cache.',
    stability: 'ALPHA',
  },
  {
    name: 'watch_cache_unconfirmed_seconds',
    type: 'gauge',
    help: 'Time since the watch cache was last known to be current.',
    stability: 'ALPHA',
    join: 'max',
  },
] as const satisfies readonly FamilyDefinition[];
