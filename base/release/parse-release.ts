import { ConfigError } from '../errors/config-error.ts';
import type { Naming } from '../naming/naming.ts';
import { defaultRelease, findRelease, latestRelease, type Release } from './release.ts';

/**
 * Parses a release: `1.29` or `v1.29`. If the naming has components, `component=` may precede it.
 * @param flag the flag that has this text, without dashes
 * @throws ConfigError if the server does not support the release. The message lists the supported releases.
 * @example parseRelease('emulated-version', 'v1.29', createNaming('orch')).name // => '1.29'
 */
export function parseRelease(flag: string, text: string, naming: Naming): Release {
  const component = naming.releaseComponent;
  const prefix = component === undefined ? undefined : `${component}=`;
  const named = prefix !== undefined && text.startsWith(prefix) ? text.slice(prefix.length) : text;
  const found = findRelease(named);
  if (found !== undefined) return found;
  const forms = prefix === undefined ? '' : `, with or without ${prefix} in front`;
  throw new ConfigError(
    `--${flag} must be a release from ${defaultRelease.name} to ${latestRelease.name}${forms}: ${JSON.stringify(text)}`,
  );
}
