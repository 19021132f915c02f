import type { Pod, PodSpec } from '#schema/generated/core.v1.ts';
import type { AdmissionRequest } from '../api/admission.ts';

/** A pod with a spec. Plug-ins read it before it is validated. */
export type PodWithSpec = Pod & { spec: PodSpec };

/** The new pod of a request for pods. */
export function podOf(request: AdmissionRequest): PodWithSpec {
  const pod = request.object as Pod;
  pod.spec ??= { containers: [] };
  return pod as PodWithSpec;
}
