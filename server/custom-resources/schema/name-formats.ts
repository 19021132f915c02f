import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';

/** What stands before formats of names; undefined where the release has none of them. */
export function namePrefixOf({ formatPrefix }: Naming, release: Release): string | undefined {
  return release.atLeast(34) ? formatPrefix : undefined;
}
