import type { PersistentVolumeClaim } from '#schema/generated/core.v1.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { View } from '../state/view.ts';
import { type Filter, refuse } from './filter.ts';

/**
 * The volumes that a pod attaches to its node, by driver. Each volume is an identity. A volume that does not exist yet
 * counts for the driver of its class.
 */
function attachedOf(
  { pod, namespace, claims }: PodInfo,
  view: View,
): readonly (readonly [driver: string, id: string])[] {
  const inline = (pod.spec?.volumes ?? []).flatMap(({ name, csi }): (readonly [string, string])[] =>
    csi === undefined || csi === null ? [] : [[csi.driver, `${namespace}/${pod.metadata.name}/${name}`]],
  );
  const claimed = claims.flatMap((key): (readonly [string, string])[] => {
    const claim = view.claim(key);
    if (claim === undefined) return [];
    const volume = view.volume(claim.spec?.volumeName ?? '');
    const csi = volume?.spec?.csi;
    if (csi !== undefined && csi !== null) return [[csi.driver, csi.volumeHandle]];
    const driver = volume === undefined ? provisionerOf(claim, view) : '';
    return driver === '' ? [] : [[driver, key]];
  });
  return [...inline, ...claimed];
}

function provisionerOf({ spec }: PersistentVolumeClaim, view: View): string {
  return view.storageClass(spec?.storageClassName ?? '')?.provisioner ?? '';
}

/** Refuses nodes to which a driver can attach no more volumes, by the limits in their CSINode. */
export const volumeLimits: Filter = {
  name: 'NodeVolumeLimits',
  prepare(info, view) {
    const wanted = attachedOf(info, view);
    if (wanted.length === 0) return undefined;
    return (node) => {
      const limits = view.volumeLimits(node.name);
      if (limits === undefined || !wanted.some(([driver]) => limits.has(driver))) return undefined;
      const used = volumesOn(node, view);
      for (const [driver, most] of limits) {
        const ids = new Set(used.get(driver));
        const more = wanted.filter(([of, id]) => of === driver && !ids.has(id)).map(([, id]) => id);
        if (more.length > 0 && ids.size + new Set(more).size > most) return refuse('node(s) exceed max volume count');
      }
      return undefined;
    };
  },
};

/** The volumes that are attached to a node, by driver. */
function volumesOn({ pods }: NodeInfo, view: View): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Map<string, Set<string>>();
  for (const pod of pods.values())
    for (const [driver, id] of attachedOf(pod, view)) {
      const ids = all.get(driver) ?? new Set();
      all.set(driver, ids.add(id));
    }
  return all;
}
