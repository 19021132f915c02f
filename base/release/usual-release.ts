import type { Naming } from '../naming/naming.ts';
import { defaultRelease, latestRelease, type Release } from './release.ts';

/**
 * The default release of a cluster that these tools start. In upstream words it is the latest release, because today's
 * clients and manifests are written for it. Otherwise it is the default release.
 */
export function usualRelease({ releaseComponent }: Pick<Naming, 'releaseComponent'>): Release {
  return releaseComponent === undefined ? defaultRelease : latestRelease;
}
