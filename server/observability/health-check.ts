/** One health check: undefined when fine, else why not. */
export interface HealthCheck {
  readonly name: string;
  /** Which paths ask it. */
  readonly paths: readonly HealthPath[];
  check(path: HealthPath): Promise<string | undefined> | string | undefined;
}

export type HealthPath = 'healthz' | 'livez' | 'readyz';
