import { table } from '#base/collections/own-properties.ts';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Release } from '#base/release/release.ts';
import { type PluginEntry, pluginsOf } from './plugin-table.ts';

/** Plug-ins of earlier releases, each with the text of its error. */
const REMOVED: Readonly<Record<string, string>> = table({
  PodSecurityPolicy: 'it was removed in release 1.25: use PodSecurity, which is on by default',
});

function check(all: readonly PluginEntry[], flag: string, names: readonly string[]): void {
  for (const name of names) {
    const removed = REMOVED[name];
    if (removed !== undefined) throw new ConfigError(`flag --${flag} names ${name}, but ${removed}`);
    if (all.some((entry) => entry.name === name)) continue;
    const known = all.map((entry) => entry.name).sort();
    throw new ConfigError(
      `flag --${flag} names the unknown admission plug-in ${JSON.stringify(name)}: choose from ${known.join(', ')}`,
    );
  }
}

/**
 * The plug-ins that run, in order: those that are on by default or enabled, except the disabled ones. If the older flag
 * is not empty (`only`), it names all plug-ins that run.
 * @throws ConfigError for unknown and removed names, and for flags that contradict each other
 */
export function choosePlugins(
  release: Release,
  enabled: readonly string[],
  disabled: readonly string[],
  only: readonly string[] = [],
): readonly PluginEntry[] {
  const all = pluginsOf(release);
  check(all, 'admission-control', only);
  check(all, 'enable-admission-plugins', enabled);
  check(all, 'disable-admission-plugins', disabled);
  if (only.length > 0) {
    if (enabled.length + disabled.length > 0)
      throw new ConfigError(
        'flag --admission-control names all plug-ins that run: give it, or --enable-admission-plugins and --disable-admission-plugins',
      );
    return all.filter(({ name }) => only.includes(name));
  }
  const both = enabled.filter((name) => disabled.includes(name));
  if (both.length > 0) {
    throw new ConfigError(
      `flags --enable-admission-plugins and --disable-admission-plugins both name ${both.join(', ')}: decide for one`,
    );
  }
  return all.filter(
    ({ name, byDefault }) => (byDefault === true || enabled.includes(name)) && !disabled.includes(name),
  );
}
