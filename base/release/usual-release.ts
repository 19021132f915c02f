import type { Naming } from '../naming/naming.ts';
import { defaultRelease, latestRelease, type Release } from './release.ts';

/**
 * The release that a cluster which these tools start speaks where nothing is said: the last one in upstream words, for
 * which today's clients and manifests are written, and the default otherwise.
 */
export function usualRelease({ releaseComponent }: Pick<Naming, 'releaseComponent'>): Release {
  return releaseComponent === undefined ? defaultRelease : latestRelease;
}
