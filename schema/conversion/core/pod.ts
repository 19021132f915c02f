import type { Pod } from '../../generated/core.v1.ts';
import type { KindVersions } from '../version-rules.ts';
import { alignPodAddresses } from './align-pod-addresses.ts';
import { requestLimits } from './default-container.ts';
import { defaultPodResources } from './default-pod-resources.ts';
import { defaultPodSpec, dropInitContainerAnnotations } from './default-pod-spec.ts';

/** The defaults of pods in each version. */
export const podVersions = {
  v1: {
    defaults(object, { naming, gates }) {
      const pod = object as Pod;
      dropInitContainerAnnotations(pod.metadata, naming);
      pod.spec ??= { containers: null };
      const { spec } = pod;
      defaultPodSpec(spec);
      requestLimits(spec.containers);
      requestLimits(spec.initContainers);
      // Later releases set these defaults after admission has added all containers.
      if (gates.enabled('PodLevelResources') && !gates.enabled('PodLevelResourcesFixDefaulting'))
        defaultPodResources(spec);
      spec.enableServiceLinks ??= true;
      alignPodAddresses(pod.status);
    },
  },
} satisfies KindVersions;
