import type { Deployment } from '../../generated/apps.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import { defaultPodTemplate } from '../core/default-pod-template.ts';
import type { KindVersions, VersionContext } from '../version-rules.ts';

function defaults(object: ApiObject, context: VersionContext): void {
  const { spec } = object as Deployment;
  if (spec === undefined) return;
  spec.replicas ??= 1;
  spec.strategy ??= {};
  spec.strategy.type ||= 'RollingUpdate';
  if (spec.strategy.type === 'RollingUpdate') {
    spec.strategy.rollingUpdate ??= {};
    spec.strategy.rollingUpdate.maxUnavailable ??= '25%';
    spec.strategy.rollingUpdate.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  defaultPodTemplate(spec.template, context);
}

/** The defaults of deployments in each version. */
export const deploymentVersions = { v1: { defaults } } satisfies KindVersions;
