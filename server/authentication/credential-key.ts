import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';

/** The key of the extra value that identifies the user's credential; undefined in releases without it. */
export function credentialKeyOf(naming: Naming, release: Release): string | undefined {
  return release.atLeast(32) ? naming.key('authentication/credential-id') : undefined;
}
