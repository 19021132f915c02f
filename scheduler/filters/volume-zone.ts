import type { PersistentVolume } from '#schema/generated/core.v1.ts';
import type { View } from '../state/view.ts';
import { type Filter, refuseFinally } from './filter.ts';

/** Labels of volumes that name the places from which they can be reached. There are newer and older ones. */
const PLACES = ['topology/zone', 'topology/region', 'failure-domain.beta/zone', 'failure-domain.beta/region'];

/** The text between the zones of a volume that is in several zones. */
const SEPARATOR = '__';

/** Refuses nodes whose zones or regions differ from those in the labels of a volume. */
export const volumeZone: Filter = {
  name: 'VolumeZone',
  prepare({ claims }, view) {
    const needs = claims.flatMap((key) => placesOf(view.volume(view.claim(key)?.spec?.volumeName ?? ''), view));
    if (needs.length === 0) return undefined;
    return ({ labels }) => {
      // A node without labels for its place counts as a node that reaches all places.
      if (!needs.some(([key]) => Object.hasOwn(labels, key))) return undefined;
      const isThere = needs.every(([key, values]) => Object.hasOwn(labels, key) && values.includes(labels[key]!));
      return isThere ? undefined : refuseFinally('node(s) had no available volume zone');
    };
  },
};

function placesOf(volume: PersistentVolume | undefined, view: View): [key: string, values: readonly string[]][] {
  const labels = volume?.metadata.labels ?? {};
  return PLACES.map((short) => view.key(short)).flatMap((key): [string, readonly string[]][] =>
    Object.hasOwn(labels, key) ? [[key, labels[key]!.split(SEPARATOR)]] : [],
  );
}
