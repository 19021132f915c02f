import type { Naming } from '#base/naming/naming.ts';
import { appsV1 } from '#client/generated/resources.ts';
import type { StatefulSet } from '#schema/generated/apps.v1.ts';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { podOf } from '../pods/pod-writer.ts';
import { REVISION_HASH } from '../pods/template-hash.ts';

/** The number in the name of a pod of a set, such as 3 in `db-3`. Undefined if the name does not belong to this set. */
export function ordinalOf({ metadata: { name: set = '' } }: StatefulSet, pod: string): number | undefined {
  const digits = pod.startsWith(`${set}-`) ? pod.slice(set.length + 1) : '';
  return /^(0|[1-9]\d{0,8})$/.test(digits) ? Number(digits) : undefined;
}

/** The name of the pod with a number. */
export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`;
}

/** The name of the claim that a template makes for a pod. */
function claimName(template: PersistentVolumeClaim, set: StatefulSet, ordinal: number): string {
  return `${template.metadata?.name}-${podName(set, ordinal)}`;
}

/** The claims of the pod with a number, in the form in which they are created. */
export function claimsOf(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  const { volumeClaimTemplates = [], selector } = set.spec ?? {};
  return (volumeClaimTemplates ?? []).map((template) => {
    const { labels, annotations } = template.metadata ?? {};
    return {
      metadata: {
        name: claimName(template, set, ordinal),
        namespace: set.metadata.namespace!,
        labels: { ...labels, ...selector?.matchLabels },
        ...(annotations === undefined ? {} : { annotations }),
      },
      ...(template.spec === undefined ? {} : { spec: template.spec }),
    };
  });
}

/** The labels that identify a pod. */
export function identityLabels(set: StatefulSet, ordinal: number, naming: Naming): Record<string, string> {
  return {
    [naming.key('statefulset/pod-name')]: podName(set, ordinal),
    [naming.key('apps/pod-index')]: String(ordinal),
  };
}

/** The pod of a set with a number, from the template of a revision. */
export function podWith(
  set: StatefulSet,
  ordinal: number,
  template: PodTemplateSpec,
  revision: string,
  naming: Naming,
): Pod {
  const name = podName(set, ordinal);
  const labels = { ...template.metadata?.labels, ...identityLabels(set, ordinal, naming), [REVISION_HASH]: revision };
  const pod = podOf(appsV1.statefulsets, set, template, naming, { name, labels });
  const own = (set.spec?.volumeClaimTemplates ?? []).map((claim) => ({
    name: claim.metadata?.name ?? '',
    persistentVolumeClaim: { claimName: claimName(claim, set, ordinal) },
  }));
  const names = new Set(own.map((volume) => volume.name));
  const others = (template.spec?.volumes ?? []).filter((volume) => !names.has(volume.name));
  const { serviceName } = set.spec ?? {};
  const spec = {
    ...(pod.spec ?? { containers: [] }),
    hostname: name,
    ...(serviceName ? { subdomain: serviceName } : {}),
  };
  return { ...pod, spec: own.length + others.length === 0 ? spec : { ...spec, volumes: [...own, ...others] } };
}
