import type { HealthCheck, HealthPath } from './health-check.ts';

/** What checks need to know of plug-ins that keep keys. */
export interface CheckedPlugins {
  readonly plugins: readonly { readonly name: string; check(): Promise<string | undefined> }[];
  /** They may be others later. */
  readonly reloads: boolean;
}

/** Not of liveness: a restart helps no plug-in. */
const PATHS: readonly HealthPath[] = ['healthz', 'readyz'];

/** The health checks of KMS plug-ins: one for each, or one for all where they may be others later. */
export function pluginChecks(subject: CheckedPlugins): HealthCheck[] {
  if (!subject.reloads)
    return subject.plugins.map((plugin) => ({ name: plugin.name, paths: PATHS, check: () => plugin.check() }));
  const check = async (): Promise<string | undefined> => {
    const problems = await Promise.all(subject.plugins.map((plugin) => plugin.check()));
    return problems.find((problem) => problem !== undefined);
  };
  return [{ name: 'kms-providers', paths: PATHS, check }];
}
