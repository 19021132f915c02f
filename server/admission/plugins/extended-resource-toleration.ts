import { resourceNames } from '#schema/validation/resource-names.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { podOf } from '../pod-of.ts';

/** Lets pods run on the nodes that are reserved for the extended resources that they request. */
export function extendedResourceToleration({ naming }: PluginEnvironment): AdmissionPlugin {
  const { isExtended } = resourceNames(naming);
  return {
    name: 'ExtendedResourceToleration',
    handles: handling('', 'pods', ['CREATE', 'UPDATE']),
    mutate(request) {
      const { spec } = podOf(request);
      const asked = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
        Object.keys(resources?.requests ?? {}).filter(isExtended),
      );
      const own = spec.tolerations ?? [];
      const there = new Set(
        own.flatMap(({ key, operator, effect, value = '' }) =>
          operator === 'Exists' && effect === 'NoSchedule' && value === '' ? [key] : [],
        ),
      );
      const added = [...new Set(asked)]
        .filter((key) => !there.has(key))
        .sort()
        .map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }));
      if (added.length > 0) spec.tolerations = [...own, ...added];
    },
  };
}
