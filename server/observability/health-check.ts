/** One health check: undefined when fine, else why not. */
export interface HealthCheck {
  readonly name: string;
  /** Which paths ask it. */
  readonly paths: readonly HealthPath[];
  check(path: HealthPath): Promise<string | undefined> | string | undefined;
  /** A problem although the check passes. The detailed answer and the header Warning show it. */
  remark?(): string | undefined;
}

export type HealthPath = 'healthz' | 'livez' | 'readyz';
