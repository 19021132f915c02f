import { ConfigError } from '#base/errors/config-error.ts';
import type { Release } from '#base/release/release.ts';
import type { Flags } from './parse-flags.ts';

/** Matches storage formats of other servers, except protobuf. */
const STORED_AS = /^application\/(?:json|yaml)$/;

/**
 * Checks flags that have no effect in this server. So existing manifests still work, and mistakes in them are still
 * reported. Returns warnings for values that would affect more than speed.
 * @throws ConfigError
 */
export function checkEffectlessFlags(flags: Flags, release: Release): string[] {
  const warnings: string[] = [];
  const mediaType = flags.get('storage-media-type');
  if (!STORED_AS.test(mediaType) && mediaType !== flags.naming.protobufMediaType)
    throw new ConfigError(
      `invalid value for flag --storage-media-type: ${JSON.stringify(mediaType)} is none of application/json, application/yaml, ${flags.naming.protobufMediaType}`,
    );
  const uncached = flags.get('watch-cache-sizes').flatMap((setting) => {
    const [, resource, size] = /^([a-z][a-z0-9.-]*)#(\d+)$/.exec(setting) ?? [];
    if (resource === undefined)
      throw new ConfigError(
        `invalid value for flag --watch-cache-sizes: ${JSON.stringify(setting)} is not RESOURCE[.GROUP]#SIZE`,
      );
    return Number(size) === 0 ? [resource] : [];
  });
  if (uncached.length > 0)
    warnings.push(
      `Flag --watch-cache-sizes takes nothing out of the cache: it holds ${uncached.join(', ')} all the same.`,
    );
  if (flags.get('contention-profiling'))
    warnings.push('Flag --contention-profiling has no effect: there are no locks between threads.');
  const previous = `${release.major}.${release.minor - 1}`;
  const shown = flags.get('show-hidden-metrics-for-version');
  if (shown !== '' && shown !== previous)
    throw new ConfigError(
      `invalid value for flag --show-hidden-metrics-for-version: only the previous version is possible, ${previous}`,
    );
  const format = flags.get('logging-format');
  if (format !== 'json' && format !== 'text')
    throw new ConfigError(
      `invalid value for flag --logging-format: ${JSON.stringify(format)} is neither json nor text`,
    );
  if (flags.get('vmodule') !== '') warnings.push('Flag --vmodule has no effect: --v is for the whole log.');
  return warnings;
}
