import type { DaemonSet } from '../../generated/apps.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import { defaultPodTemplate } from '../core/default-pod-template.ts';
import type { KindVersions, VersionContext } from '../version-rules.ts';
import { setTemplateGeneration, templateGeneration } from './template-generation.ts';

function defaults(object: ApiObject, context: VersionContext): void {
  setTemplateGeneration(object, templateGeneration(object));
  const { spec } = object as DaemonSet;
  if (spec === undefined) return;
  const strategy = (spec.updateStrategy ??= {});
  strategy.type ||= 'RollingUpdate';
  const rolling = strategy.type === 'RollingUpdate';
  if (rolling) strategy.rollingUpdate ??= {};
  if (strategy.rollingUpdate !== undefined) {
    strategy.rollingUpdate.maxUnavailable ??= rolling ? 1 : 0;
    strategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template, context);
}

/** The defaults of daemon sets in each version. */
export const daemonSetVersions = { v1: { defaults } } satisfies KindVersions;
