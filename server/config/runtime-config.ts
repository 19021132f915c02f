import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';

/** The built-in API versions that a server serves, by `--runtime-config`. Groups are in their short form. */
export interface RuntimeConfig {
  /** Whether a resource of a version is served. `enabledByDefault` says whether it is served without the flag. */
  enabled(group: string, version: string, resource: string, enabledByDefault: boolean): boolean;
  /**
   * Checks that everything in the flag exists.
   * @param known whether a group (without a version), a version or a resource exists
   * @throws ConfigError
   */
  check(known: (group: string, version?: string, resource?: string) => boolean): void;
}

type Level = 'ga' | 'beta' | 'alpha';

/**
 * Reads the pairs of `--runtime-config`. The most specific key takes precedence: `<group>/<version>/<resource>`, then
 * `<group>/<version>`, then `api/ga|beta|alpha`, then `api/all`. The core group is `api/v1` or `v1`. A missing value
 * means true.
 * @throws ConfigError
 */
export function parseRuntimeConfig(pairs: ReadonlyMap<string, string>, naming: Naming): RuntimeConfig {
  const levels = new Map<Level | 'all', boolean>();
  const versions = new Map<string, boolean>();
  const resources = new Map<string, boolean>();
  const named: [key: string, group: string | undefined, version: string, resource: string | undefined][] = [];
  for (const [key, value] of pairs) {
    const on = readSwitch(key, value);
    const level = /^api\/(all|ga|beta|alpha)$/.exec(key)?.[1];
    if (level !== undefined) {
      levels.set(level as Level | 'all', on);
      continue;
    }
    const [group, version, resource] = splitKey(key, naming);
    named.push([key, group, version, resource]);
    if (group === undefined) continue;
    if (resource === undefined) versions.set(`${group}/${version}`, on);
    else resources.set(`${group}/${version}/${resource}`, on);
  }
  if (pairs.size === 1 && levels.get('all') === false)
    throw new ConfigError(
      'flag --runtime-config says only api/all=false, which leaves nothing: name what to serve as well',
    );
  return {
    enabled: (group, version, resource, enabledByDefault) =>
      resources.get(`${group}/${version}/${resource}`) ??
      versions.get(`${group}/${version}`) ??
      levels.get(levelOf(version)) ??
      levels.get('all') ??
      enabledByDefault,
    check: (known) => {
      for (const [key, group, version, resource] of named) {
        const found = group !== undefined && known(group);
        if (found && known(group, version) && (resource === undefined || known(group, version, resource))) continue;
        const missing = !found ? 'group' : !known(group, version) ? 'version' : 'resource';
        throw new ConfigError(`flag --runtime-config names ${key}, but there is no such ${missing}`);
      }
    },
  };
}

function readSwitch(key: string, value: string): boolean {
  if (value === '' || value === 'true') return true;
  if (value === 'false') return false;
  throw new ConfigError(`flag --runtime-config: ${key}=${value} is neither true nor false`);
}

function splitKey(
  key: string,
  naming: Naming,
): readonly [group: string | undefined, version: string, resource: string | undefined] {
  const parts = key === 'v1' ? ['api', 'v1'] : key.split('/');
  const [group = '', version = '', resource] = parts;
  if (parts.length < 2 || parts.length > 3 || parts.includes(''))
    throw new ConfigError(
      `flag --runtime-config: ${JSON.stringify(key)} is none of api/all, api/ga, api/beta, api/alpha, GROUP/VERSION and GROUP/VERSION/RESOURCE`,
    );
  return [group === 'api' ? '' : naming.shortGroup(group), version, resource];
}

function levelOf(version: string): Level {
  return version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'ga';
}
