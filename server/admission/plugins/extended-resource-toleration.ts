import { resourceNames } from '#schema/validation/resource-names.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { podOf } from '../pod-of.ts';

/** Lets pods onto the nodes that are kept for the extended resources they ask for. */
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
      for (const key of [...new Set(asked)].sort()) {
        const own = spec.tolerations ?? [];
        const there = own.some(
          (toleration) =>
            toleration.key === key &&
            toleration.operator === 'Exists' &&
            toleration.effect === 'NoSchedule' &&
            (toleration.value ?? '') === '',
        );
        if (!there) spec.tolerations = [...own, { key, operator: 'Exists', effect: 'NoSchedule' }];
      }
    },
  };
}
