/** One health check. It gives undefined when all is fine, else the reason why not. */
export interface HealthCheck {
  readonly name: string;
  /** The paths that ask this check. */
  readonly paths: readonly HealthPath[];
  check(path: HealthPath): Promise<string | undefined> | string | undefined;
  /** A problem although the check passes. The detailed answer and the header Warning show it. */
  remark?(): string | undefined;
}

export type HealthPath = 'healthz' | 'livez' | 'readyz';
