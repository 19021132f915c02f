import { ConfigError } from '../config/config-error.ts';
import { type PluginEntry, pluginTable } from './plugin-table.ts';

/** Plug-ins that were there once. */
const REMOVED: Readonly<Record<string, string>> = {
  PodSecurityPolicy: 'it was removed in release 1.25: use PodSecurity, which is on by default',
};

function check(flag: string, names: readonly string[]): void {
  for (const name of names) {
    const removed = REMOVED[name];
    if (removed !== undefined) throw new ConfigError(`flag --${flag} names ${name}, but ${removed}`);
    if (pluginTable.some((entry) => entry.name === name)) continue;
    const known = pluginTable.map((entry) => entry.name).sort();
    throw new ConfigError(
      `flag --${flag} names the unknown admission plug-in ${JSON.stringify(name)}: choose from ${known.join(', ')}`,
    );
  }
}

/**
 * The plug-ins that run, in their order: those that are on by default or enabled, without the disabled ones.
 * @throws ConfigError for unknown and removed names, and for what is both enabled and disabled
 */
export function choosePlugins(enabled: readonly string[], disabled: readonly string[]): readonly PluginEntry[] {
  check('enable-admission-plugins', enabled);
  check('disable-admission-plugins', disabled);
  const both = enabled.filter((name) => disabled.includes(name));
  if (both.length > 0) {
    throw new ConfigError(
      `flags --enable-admission-plugins and --disable-admission-plugins both name ${both.join(', ')}: decide for one`,
    );
  }
  return pluginTable.filter(
    ({ name, byDefault }) => (byDefault === true || enabled.includes(name)) && !disabled.includes(name),
  );
}
