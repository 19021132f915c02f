import type { Release } from '#base/release/release.ts';
import type { ObjectMeta } from './api-object.ts';

/**
 * The metadata of an object that was never stored. Releases before 1.34 write null as the time of its creation. Returns
 * a new object each time.
 */
export function emptyMetadata(release: Release): ObjectMeta {
  return release.atLeast(34) ? {} : { creationTimestamp: null };
}
