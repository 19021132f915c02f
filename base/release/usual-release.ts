import type { Naming } from '../naming/naming.ts';
import { defaultRelease, latestRelease, type Release } from './release.ts';

/**
 * The default release of a cluster that these tools start: the latest release in upstream words, because today's
 * clients and manifests are written for it, and the default release otherwise.
 */
export function usualRelease({ releaseComponent }: Pick<Naming, 'releaseComponent'>): Release {
  return releaseComponent === undefined ? defaultRelease : latestRelease;
}
