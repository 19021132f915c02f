import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';

/** The prefix of name formats; undefined if the release does not have them. */
export function namePrefixOf({ formatPrefix }: Naming, release: Release): string | undefined {
  return release.atLeast(34) ? formatPrefix : undefined;
}
