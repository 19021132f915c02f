/** One health check: undefined when fine, else why not. */
export interface HealthCheck {
  readonly name: string;
  /** Which paths ask it. */
  readonly paths: readonly HealthPath[];
  check(path: HealthPath): Promise<string | undefined> | string | undefined;
  /** What is wrong although the check passes: who asks for details is told, and so is the header Warning. */
  remark?(): string | undefined;
}

export type HealthPath = 'healthz' | 'livez' | 'readyz';
