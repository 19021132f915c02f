import type { Flags } from './parse-flags.ts';

/** How patient health checks are; times in milliseconds. */
export interface HealthOptions {
  /** How long after the start `/livez` does not fail because of work that began with the start. */
  readonly graceMs: number;
  /** How long etcd may take to answer, for `/healthz` and `/livez`, and for `/readyz`. */
  readonly storeTimeoutMs: { readonly health: number; readonly readiness: number };
}

/** Reads the flags of health checks. */
export function readHealth(flags: Flags): HealthOptions {
  return {
    graceMs: flags.get('livez-grace-period'),
    storeTimeoutMs: { health: flags.get('etcd-healthcheck-timeout'), readiness: flags.get('etcd-readycheck-timeout') },
  };
}
