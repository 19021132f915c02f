/** One health check. It returns undefined if there is no problem, and otherwise the reason. */
export interface HealthCheck {
  readonly name: string;
  /** The paths that run this check. */
  readonly paths: readonly HealthPath[];
  check(path: HealthPath): Promise<string | undefined> | string | undefined;
  /** A problem although the check passes. The detailed answer and the header Warning contain it. */
  remark?(): string | undefined;
}

export type HealthPath = 'healthz' | 'livez' | 'readyz';
