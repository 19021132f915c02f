import type { Toleration } from '#schema/generated/core.v1.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { podOf } from '../pod-of.ts';

function tolerates({ key = '', effect = '' }: Toleration, taint: string): boolean {
  return (key === '' || key === taint) && (effect === '' || effect === 'NoExecute');
}

/**
 * Lets pods stay for a while on a node that is not ready or not reachable, unless the pods set this time themselves.
 */
export function defaultTolerationSeconds({ naming, options }: PluginEnvironment): AdmissionPlugin {
  const { notReady, unreachable } = options.admission.tolerationSeconds;
  const taints = [
    [naming.key('node/not-ready'), notReady],
    [naming.key('node/unreachable'), unreachable],
  ] as const;
  return {
    name: 'DefaultTolerationSeconds',
    handles: handling('', 'pods', ['CREATE', 'UPDATE']),
    mutate(request) {
      const { spec } = podOf(request);
      const own = spec.tolerations ?? [];
      const added = taints
        .filter(([taint]) => !own.some((toleration) => tolerates(toleration, taint)))
        .map(([key, tolerationSeconds]) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }));
      if (added.length > 0) spec.tolerations = [...own, ...added];
    },
  };
}
