import type { ReplicationController } from '../../generated/core.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import type { KindVersions, VersionContext } from '../version-rules.ts';
import { defaultPodTemplate } from './default-pod-template.ts';

function isEmpty(labels: Readonly<Record<string, string>> | undefined): boolean {
  return Object.keys(labels ?? {}).length === 0;
}

function defaults(object: ApiObject, context: VersionContext): void {
  const controller = object as ReplicationController;
  const { spec, metadata } = controller;
  if (spec === undefined) return;
  spec.replicas ??= 1;
  if (spec.template === undefined) return;
  const labels = spec.template.metadata?.labels ?? {};
  if (!isEmpty(labels)) {
    if (isEmpty(spec.selector)) spec.selector = { ...labels };
    if (isEmpty(metadata.labels)) metadata.labels = { ...labels };
  }
  defaultPodTemplate(spec.template, context);
}

/** The defaults of replication controllers, in each of their versions. */
export const replicationControllerVersions = { v1: { defaults } } satisfies KindVersions;
