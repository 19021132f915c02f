import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import policy from './bootstrap-policy.json' with { type: 'json' };
import changes from './later-policy.json' with { type: 'json' };
import { type LaterPolicy, policyOf } from './later-policy.ts';
import type { BootstrapPolicy } from './policy-objects.ts';

function translated(value: unknown, naming: Naming): unknown {
  if (typeof value === 'string') return naming.translate(value);
  if (Array.isArray(value)) return value.map((entry) => translated(entry, naming));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [naming.translate(key), translated(entry, naming)]),
  );
}

/**
 * The objects of bootstrap-policy.json with the changes of later releases, in a profile's words. The file has the
 * names, rules and subjects of a new server of the first release.
 */
export function bootstrapPolicy(naming: Naming, release: Release): BootstrapPolicy {
  return translated(policyOf(release, policy as BootstrapPolicy, changes as LaterPolicy[]), naming) as BootstrapPolicy;
}
