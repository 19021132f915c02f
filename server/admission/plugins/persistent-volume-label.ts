import { own } from '#base/collections/own-properties.ts';
import type { NodeSelectorTerm, PersistentVolume } from '#schema/generated/core.v1.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';

/** The text between several zones in one label. */
const SEPARATOR = '__';

/** The values that every term requires for a label; undefined if a term does not restrict it. */
function bound(terms: readonly NodeSelectorTerm[], key: string): string[] | undefined {
  const values = new Set<string>();
  for (const { matchExpressions } of terms) {
    const found = matchExpressions?.find((expression) => expression.key === key && expression.operator === 'In');
    if (found === undefined) return undefined;
    for (const value of found.values ?? []) values.add(value);
  }
  return values.size === 0 ? undefined : [...values].sort();
}

/**
 * Labels new volumes with the region and the zone from which they can be reached, if their node affinity names these.
 */
export function persistentVolumeLabel({ naming }: PluginEnvironment): AdmissionPlugin {
  const keys = [naming.key('topology/region'), naming.key('topology/zone')];
  return {
    name: 'PersistentVolumeLabel',
    handles: handling('', 'persistentvolumes', ['CREATE']),
    mutate(request) {
      const { metadata, spec } = request.object as PersistentVolume;
      const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
      for (const key of keys) {
        const values = own(metadata.labels, key) === undefined ? bound(terms, key) : undefined;
        if (values !== undefined) metadata.labels = { ...metadata.labels, [key]: values.join(SEPARATOR) };
      }
    },
  };
}
