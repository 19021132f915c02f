import type { FamilyDefinition } from '../family-definition.ts';

/** Bounds in seconds, starting at 5 µs, each twice the one before. */
function doubled(count: number): number[] {
  return Array.from({ length: count }, (_, i) => Number((5e-6 * 2 ** i).toPrecision(12)));
}

/** Values that are encrypted in the store. */
export const encryptionFamilies = [
  {
    name: 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds',
    type: 'gauge',
    help: 'When a change of the encryption configuration was last taken up, or could not be.',
    labels: ['status'],
    stability: 'ALPHA',
    join: 'max',
  },
  {
    name: 'apiserver_encryption_config_controller_automatic_reloads_total',
    type: 'counter',
    help: 'Changes of the encryption configuration that were taken up, or could not be.',
    labels: ['status'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_encryption_config_in_force',
    type: 'gauge',
    help: 'The encryption configuration that values are encrypted by, and earlier ones as long as a write is under way with them.',
    labels: ['sha256'],
    stability: 'ALPHA',
    join: 'max',
  },
  {
    name: 'apiserver_envelope_encryption_dek_cache_fill_percent',
    type: 'gauge',
    help: 'How much of the room for data keys is taken, from 0 to 1.',
    stability: 'ALPHA',
    join: 'max',
  },
  {
    name: 'apiserver_storage_data_key_generation_duration_seconds',
    type: 'histogram',
    help: 'How long making a data key took, the KMS plug-in included.',
    buckets: doubled(14),
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_storage_data_key_generation_failures_total',
    type: 'counter',
    help: 'Data keys that could not be made.',
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_storage_envelope_transformation_cache_misses_total',
    type: 'counter',
    help: 'Data keys that the KMS plug-in was asked for.',
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_storage_transformation_duration_seconds',
    type: 'histogram',
    help: 'How long encrypting and decrypting a value took.',
    labels: ['transformation_type'],
    buckets: doubled(25),
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_storage_transformation_operations_total',
    type: 'counter',
    help: 'Values that were encrypted or decrypted, by how that went and by what they begin with.',
    labels: ['status', 'transformation_type', 'transformer_prefix'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_storage_values_not_opened',
    type: 'gauge',
    help: 'Stored values that are encrypted and that this server cannot open.',
    labels: ['resource'],
    stability: 'ALPHA',
    join: 'max',
  },
] as const satisfies readonly FamilyDefinition[];
