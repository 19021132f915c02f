import type { Flags } from './parse-flags.ts';

/** The time limits of health checks, in milliseconds. */
export interface HealthOptions {
  /** How long after the start `/livez` ignores work that began with the start. */
  readonly graceMs: number;
  /** The time limits for an answer of etcd: one for `/healthz` and `/livez`, and one for `/readyz`. */
  readonly storeTimeoutMs: { readonly health: number; readonly readiness: number };
}

/** Reads the flags of health checks. */
export function readHealth(flags: Flags): HealthOptions {
  return {
    graceMs: flags.get('livez-grace-period'),
    storeTimeoutMs: { health: flags.get('etcd-healthcheck-timeout'), readiness: flags.get('etcd-readycheck-timeout') },
  };
}
