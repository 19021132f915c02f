import type { HealthCheck, HealthPath } from './health-check.ts';

/** The facts about key plug-ins for checks. */
export interface CheckedPlugins {
  readonly plugins: readonly { readonly name: string; check(): Promise<string | undefined> }[];
  /** Whether the plug-ins may change later. */
  readonly reloads: boolean;
}

/** The paths of the checks. `livez` is not among them, because a restart of the server does not help a plug-in. */
const PATHS: readonly HealthPath[] = ['healthz', 'readyz'];

/** The health checks of KMS plug-ins: one for each plug-in, or a single one if the plug-ins may change later. */
export function pluginChecks(subject: CheckedPlugins): HealthCheck[] {
  if (!subject.reloads)
    return subject.plugins.map((plugin) => ({ name: plugin.name, paths: PATHS, check: () => plugin.check() }));
  const check = async (): Promise<string | undefined> => {
    const problems = await Promise.all(subject.plugins.map((plugin) => plugin.check()));
    return problems.find((problem) => problem !== undefined);
  };
  return [{ name: 'kms-providers', paths: PATHS, check }];
}
