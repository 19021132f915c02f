import type { Naming } from '#base/naming/naming.ts';
import { podSecurity } from '#program/operator-files/kinds.ts';
import type { FilePart } from '#program/operator-files/read-file.ts';
import { type Mode, type Policy, parseVersion, type Standard } from './policy.ts';

/** The defaults for namespaces, and the exemptions. */
export interface PodSecurityConfiguration {
  readonly defaults: Policy;
  readonly usernames: ReadonlySet<string>;
  readonly runtimeClasses: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

/**
 * Reads a PodSecurityConfiguration. Without one, there are no requirements for pods.
 * @throws ConfigError with a line for each mistake
 */
export function readPodSecurityConfiguration(
  configuration: FilePart | undefined,
  naming: Naming,
): PodSecurityConfiguration {
  const { defaults, exemptions } = configuration?.as(podSecurity, naming) ?? {};
  const standard = (mode: Mode): Standard => ({
    level: defaults?.[mode] ?? 'privileged',
    version: parseVersion(defaults?.[`${mode}-version`] ?? 'latest')!,
  });
  return {
    defaults: { enforce: standard('enforce'), audit: standard('audit'), warn: standard('warn') },
    usernames: new Set(exemptions?.usernames),
    runtimeClasses: new Set(exemptions?.runtimeClasses),
    namespaces: new Set(exemptions?.namespaces),
  };
}
