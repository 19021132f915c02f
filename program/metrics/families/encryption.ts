import type { FamilyDefinition } from '../family-definition.ts';

/** Bounds in seconds. The first is 5 µs, and each further bound is twice the previous one. */
function doubled(count: number): number[] {
  return Array.from({ length: count }, (_, i) => Number((5e-6 * 2 ** i).toPrecision(12)));
}

/** Metrics of the values that are encrypted in the store. */
export const encryptionFamilies = [
  {
    name: 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds',
    type: 'gauge',
    help: 'Time of the last reload of the encryption configuration, by result.',
    labels: ['status'],
    stability: 'ALPHA',
    join: 'max',
  },
  {
    name: 'apiserver_encryption_config_controller_automatic_reloads_total',
    type: 'counter',
    help: 'Number of reloads of the encryption configuration, by result.',
    labels: ['status'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_encryption_config_in_force',
    type: 'gauge',
    help: 'The encryption configuration in force, and earlier ones that a write in progress still uses.',
    labels: ['sha256'],
    stability: 'ALPHA',
    join: 'max',
  },
  {
    name: 'apiserver_envelope_encryption_dek_cache_fill_percent',
    type: 'gauge',
    help: 'Used share of the cache of data keys, from 0 to 1.',
    stability: 'ALPHA',
    join: 'max',
  },
  {
    name: 'apiserver_storage_data_key_generation_duration_seconds',
    type: 'histogram',
    help: 'Duration of the generation of a data key, including the KMS plug-in.',
    buckets: doubled(14),
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_storage_data_key_generation_failures_total',
    type: 'counter',
    help: 'Number of failures to generate a data key.',
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_storage_envelope_transformation_cache_misses_total',
    type: 'counter',
    help: 'Number of data keys requested from the KMS plug-in.',
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_storage_transformation_duration_seconds',
    type: 'histogram',
    help: 'Duration of the encryption or decryption of a value.',
    labels: ['transformation_type'],
    buckets: doubled(25),
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_storage_transformation_operations_total',
    type: 'counter',
    help: 'Number of encryptions and decryptions of values, by result and by the prefix of the stored value.',
    labels: ['status', 'transformation_type', 'transformer_prefix'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_storage_values_not_opened',
    type: 'gauge',
    help: 'Number of stored values that this server cannot decrypt.',
    labels: ['resource'],
    stability: 'ALPHA',
    join: 'max',
  },
] as const satisfies readonly FamilyDefinition[];
