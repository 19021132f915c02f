import type { MetricSet } from '#program/metrics/metric-set.ts';

/** Counters and timings of encryption. */
export class EncryptionMetrics {
  readonly #operations;
  readonly #durations;
  readonly #dataKeys;
  readonly #dataKeyFailures;
  readonly #misses;
  readonly #fill;
  readonly #reloads;
  readonly #reloadedAt;

  constructor(metrics: MetricSet) {
    this.#operations = metrics.counter('apiserver_storage_transformation_operations_total');
    const durations = metrics.histogram('apiserver_storage_transformation_duration_seconds');
    this.#durations = {
      to_storage: durations.of({ transformation_type: 'to_storage' }),
      from_storage: durations.of({ transformation_type: 'from_storage' }),
    };
    this.#dataKeys = metrics.histogram('apiserver_storage_data_key_generation_duration_seconds').of({});
    this.#dataKeyFailures = metrics.counter('apiserver_storage_data_key_generation_failures_total').of({});
    this.#misses = metrics.counter('apiserver_storage_envelope_transformation_cache_misses_total').of({});
    this.#fill = metrics.gauge('apiserver_envelope_encryption_dek_cache_fill_percent').of({});
    this.#reloads = metrics.counter('apiserver_encryption_config_controller_automatic_reloads_total');
    this.#reloadedAt = metrics.gauge('apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds');
    for (const status of ['success', 'failure']) this.#reloads.inc({ status }, 0);
  }

  /** Records an encryption (`to_storage`) or decryption that started at `began` (performance.now()). */
  done(direction: 'to_storage' | 'from_storage', prefix: string, isOk: boolean, began: number): void {
    this.#operations.inc({
      transformation_type: direction,
      transformer_prefix: prefix,
      status: isOk ? 'OK' : 'Unknown',
    });
    this.#durations[direction].observe((performance.now() - began) / 1000);
  }

  /** Starts to measure the creation of a data key. The caller reports the outcome to the returned function. */
  makingDataKey(): (isOk: boolean) => void {
    const began = performance.now();
    return (isOk) => {
      if (isOk) this.#dataKeys.observe((performance.now() - began) / 1000);
      else this.#dataKeyFailures.inc();
    };
  }

  dataKeyMissing(): void {
    this.#misses.inc();
  }

  /** Data keys use this `share` of the cache. */
  dataKeysKept(share: number): void {
    this.#fill.set(share);
  }

  reloaded(isOk: boolean): void {
    const status = isOk ? 'success' : 'failure';
    this.#reloads.inc({ status });
    this.#reloadedAt.set({ status }, Date.now() / 1000);
  }
}
