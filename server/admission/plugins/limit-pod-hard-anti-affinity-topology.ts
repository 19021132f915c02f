import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { podOf } from '../pod-of.ts';
import { refusal } from '../refusal.ts';

/** Prevents pods from excluding others from more than a single node. */
export function limitPodHardAntiAffinityTopology({ naming }: PluginEnvironment): AdmissionPlugin {
  const hostname = naming.key('hostname');
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    handles: handling('', 'pods', ['CREATE', 'UPDATE']),
    validate(request) {
      const { affinity } = podOf(request).spec;
      for (const term of affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
        if (term.topologyKey === hostname) continue;
        throw refusal(
          request,
          `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${term.topologyKey} but only key ${hostname} is allowed`,
        );
      }
    },
  };
}
