import { FieldPath, notSupported } from '#base/errors/field-error.ts';
import type { PodSpec } from '#schema/generated/core.v1.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { visitContainers } from '../../kinds/core/pod-spec/visit-containers.ts';
import { type AdmissionPlugin, handling } from '../plugin.ts';
import { podOf } from '../pod-of.ts';
import { aggregate, refusal } from '../refusal.ts';

const SPEC = new FieldPath('spec');
const ALWAYS = 'Always';

function imagesOf(spec: PodSpec | undefined): Set<string | undefined> {
  return new Set(visitContainers(spec ?? { containers: [] }, SPEC).map(({ container }) => container.image));
}

/** Whether an update adds no image. */
function bringsNothing({ oldObject, object }: AdmissionRequest): boolean {
  if (oldObject === undefined) return false;
  const before = imagesOf(oldObject['spec'] as PodSpec | undefined);
  return [...imagesOf(object!['spec'] as PodSpec | undefined)].every((image) => before.has(image));
}

/** Makes nodes pull every image for each pod, so that a pod runs an image only with credentials for it. */
export function alwaysPullImages(): AdmissionPlugin {
  return {
    name: 'AlwaysPullImages',
    handles: handling('', 'pods', ['CREATE', 'UPDATE']),
    mutate(request) {
      if (bringsNothing(request)) return;
      for (const { container } of visitContainers(podOf(request).spec, SPEC)) container.imagePullPolicy = ALWAYS;
    },
    validate(request) {
      if (bringsNothing(request)) return;
      const reasons = visitContainers(podOf(request).spec, SPEC)
        .filter(({ container }) => container.imagePullPolicy !== ALWAYS)
        .map(
          ({ container, path }) =>
            notSupported(path.child('imagePullPolicy'), container.imagePullPolicy, [ALWAYS]).text,
        );
      if (reasons.length > 0) throw refusal(request, aggregate(reasons));
    },
  };
}
