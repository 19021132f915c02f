import type { FlagDefinition } from '#program/flags/flag-definition.ts';
import { ENDPOINT_FORMS } from '#storage/endpoint.ts';

export const etcdFlags = [
  {
    name: 'datastore-endpoint',
    type: 'string',
    built: true,
    about: `store of the objects: ${ENDPOINT_FORMS}; the last two are for a single process`,
  },
  {
    name: 'delete-collection-workers',
    type: 'int',
    default: '1',
    built: true,
    about: 'number of objects that are deleted at the same time when a collection is deleted',
  },
  {
    name: 'enable-garbage-collector',
    type: 'bool',
    default: 'true',
    built: true,
    about:
      'keep objects that are deleted with the policies Orphan or Foreground until the garbage collector has processed them',
  },
  {
    name: 'encryption-provider-config',
    type: 'string',
    built: true,
    about: 'file with an EncryptionConfiguration: the resources to encrypt in the store, and the providers',
  },
  {
    name: 'encryption-provider-config-automatic-reload',
    type: 'bool',
    default: 'false',
    built: true,
    about: 'reload the file of --encryption-provider-config when it changes, without a restart',
  },
  { name: 'etcd-cafile', type: 'string', built: true, about: 'CA bundle (PEM) that verifies etcd' },
  { name: 'etcd-certfile', type: 'string', built: true, about: 'client certificate (PEM) for etcd' },
  {
    name: 'etcd-compaction-interval',
    type: 'duration',
    default: '5m0s',
    built: true,
    about: "interval between two compactions of the store's history; 0 leaves compaction to another program",
  },
  {
    name: 'etcd-count-metric-poll-period',
    type: 'duration',
    default: '1m0s',
    built: true,
    about: '0 turns off the metric of stored objects; objects are counted in memory at each scrape',
  },
  {
    name: 'etcd-db-metric-poll-interval',
    type: 'duration',
    default: '30s',
    built: true,
    about: "interval between two queries for the size of the store's database; 0 for no queries",
  },
  {
    name: 'etcd-healthcheck-timeout',
    type: 'duration',
    default: '2s',
    built: true,
    about: 'time limit of the store check in /healthz and /livez',
  },
  { name: 'etcd-keyfile', type: 'string', built: true, about: 'key (PEM) of the client certificate for etcd' },
  {
    name: 'etcd-prefix',
    type: 'string',
    default: '/registry',
    built: true,
    about: 'prefix of all keys in the store',
  },
  {
    name: 'etcd-readycheck-timeout',
    type: 'duration',
    default: '2s',
    built: true,
    about: 'time limit of the store check in /readyz',
  },
  {
    name: 'etcd-start-timeout',
    type: 'duration',
    default: '30s',
    built: true,
    about:
      'how long the server waits for etcd when it starts; if the flags for etcd are wrong, the start fails at once',
  },
  { name: 'etcd-servers', type: 'strings', built: true, about: 'addresses of etcd, separated by commas' },
  {
    name: 'etcd-servers-overrides',
    type: 'strings',
    built: true,
    about: 'GROUP/RESOURCE#ADDRESS;ADDRESS: built-in resources that are stored in a separate etcd, for example /events',
  },
  {
    name: 'lease-reuse-duration-seconds',
    type: 'int',
    default: '60',
    built: true,
    about:
      'time for which objects with a time to live share a lease of the store; they can live longer by up to this time',
  },
  { name: 'storage-backend', type: 'string', built: true, about: 'etcd3 or empty: there is no other value' },
  {
    name: 'storage-media-type',
    type: 'string',
    default: (naming) => naming.protobufMediaType,
    built: true,
    about: 'accepted for compatibility: objects are stored as JSON',
  },
  {
    name: 'watch-cache',
    type: 'bool',
    default: 'true',
    about: 'must be true: the server answers lists and watches from its cache',
  },
  {
    name: 'watch-cache-sizes',
    type: 'strings',
    built: true,
    about: 'RESOURCE[.GROUP]#SIZE; without effect, because the cache holds every object',
  },
] as const satisfies readonly FlagDefinition[];
