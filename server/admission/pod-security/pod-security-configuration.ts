import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { configurationOf, type PluginConfiguration } from '../configuration.ts';
import { LEVEL_NEEDED, modes, type Policy, parseLevel, parseVersion, type Standard, VERSION_NEEDED } from './policy.ts';

/** What holds where namespaces say nothing, and who is not evaluated at all. */
export interface PodSecurityConfiguration {
  readonly defaults: Policy;
  readonly usernames: ReadonlySet<string>;
  readonly runtimeClasses: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

type Fields = Record<string, unknown>;

/**
 * Reads a PodSecurityConfiguration; without one nothing is demanded of pods.
 * @throws ConfigError
 */
export function readPodSecurityConfiguration(
  configuration: PluginConfiguration | undefined,
  naming: Naming,
): PodSecurityConfiguration {
  const versions = ['v1', 'v1beta1', 'v1alpha1'].map((version) =>
    naming.apiVersion('pod-security.admission.config', version),
  );
  const fields = configurationOf(
    configuration,
    versions.map((version) => ['PodSecurityConfiguration', version] as const),
  );
  const fail = (what: string): never => {
    throw new ConfigError(`${configuration?.file}: ${what}`);
  };
  const section = (name: string): Fields => {
    const value = fields?.[name] ?? {};
    if (typeof value !== 'object' || Array.isArray(value)) return fail(`${name} is not an object`);
    return value as Fields;
  };
  const only = (value: Fields | undefined, path: string, known: readonly string[]): void => {
    const unknown = Object.keys(value ?? {}).find((name) => !known.includes(name));
    if (unknown !== undefined) fail(`unknown field ${JSON.stringify(path + unknown)}`);
  };
  // a misspelt field would leave pods unchecked
  only(fields, '', ['apiVersion', 'kind', 'defaults', 'exemptions']);
  const given = section('defaults');
  only(
    given,
    'defaults.',
    modes.flatMap((mode) => [mode, `${mode}-version`]),
  );
  const standard = (mode: string): Standard => {
    const level = parseLevel(String(given[mode] ?? 'privileged'));
    if (level === undefined) return fail(`defaults.${mode} ${LEVEL_NEEDED}`);
    const version = parseVersion(String(given[`${mode}-version`] ?? 'latest'));
    if (version === undefined) return fail(`defaults.${mode}-version ${VERSION_NEEDED}`);
    return { level, version };
  };
  const exemptions = section('exemptions');
  only(exemptions, 'exemptions.', ['usernames', 'runtimeClasses', 'namespaces']);
  const names = (field: string): ReadonlySet<string> => {
    const list = exemptions[field] ?? [];
    if (!Array.isArray(list) || list.some((name) => typeof name !== 'string')) {
      return fail(`exemptions.${field} is not a list of names`);
    }
    return new Set(list as string[]);
  };
  return {
    defaults: Object.fromEntries(modes.map((mode) => [mode, standard(mode)])) as Policy,
    usernames: names('usernames'),
    runtimeClasses: names('runtimeClasses'),
    namespaces: names('namespaces'),
  };
}
