import type { ReplicaSet } from '../../generated/apps.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import { defaultPodTemplate } from '../core/default-pod-template.ts';
import type { KindVersions, VersionContext } from '../version-rules.ts';

function defaults(object: ApiObject, context: VersionContext): void {
  const { spec } = object as ReplicaSet;
  if (spec === undefined) return;
  spec.replicas ??= 1;
  defaultPodTemplate(spec.template, context);
}

/** The defaults of replica sets in each version. */
export const replicaSetVersions = { v1: { defaults } } satisfies KindVersions;
