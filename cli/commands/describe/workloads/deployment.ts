import { appsV1 } from '#client/generated/resources.ts';
import { selectorText } from '#client/label-selector.ts';
import type { Deployment, ReplicaSet } from '#schema/generated/apps.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { toCompactJson } from '../../../manifests/json.ts';
import { describeReasons } from '../conditions.ts';
import type { DescribeContext, Describer } from '../describer.ts';
import { marks, names } from '../heading.ts';
import { describeTemplate } from '../pod/template.ts';
import { controllerOf, listAll } from '../related.ts';
import { timeText } from '../times.ts';

/** The label whose value differs for the pods of each replica set of a deployment. */
const HASH_LABEL = 'pod-template-hash';

/** Describes a deployment. Shows its progress, the template of its pods, and its replica sets. */
export const describeDeployment: Describer = async (writer, object, context) => {
  const deployment = object as Deployment;
  const { metadata, spec, status = {} } = deployment;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, unavailableReplicas = 0 } = status;
  names(writer, deployment);
  writer.field(0, 'CreationTimestamp', timeText(metadata.creationTimestamp));
  marks(writer, deployment);
  writer.field(0, 'Selector', selectorText(spec?.selector) || '<none>');
  writer.field(
    0,
    'Replicas',
    `${spec?.replicas ?? 0} desired | ${updatedReplicas} updated | ${replicas} total | ${availableReplicas} available | ${unavailableReplicas} unavailable`,
  );
  writer.field(0, 'StrategyType', spec?.strategy?.type ?? '');
  writer.field(0, 'MinReadySeconds', spec?.minReadySeconds ?? 0);
  const rolling = spec?.strategy?.rollingUpdate;
  if (rolling)
    writer.field(
      0,
      'RollingUpdateStrategy',
      `${rolling.maxUnavailable} max unavailable, ${rolling.maxSurge} max surge`,
    );
  describeTemplate(writer, spec?.template);
  describeReasons(writer, status.conditions);
  const sets = await replicaSetsOf(deployment, context);
  if (sets.length === 0) return;
  const current = sets.find((set) => sameTemplate(set, deployment));
  writer.field(0, 'OldReplicaSets', setsText(sets.filter((set) => set !== current)));
  writer.field(0, 'NewReplicaSet', setsText(current === undefined ? [] : [current]));
};

/** The replica sets, oldest first. The list is empty if the user may not read them. */
async function replicaSetsOf({ metadata, spec }: Deployment, context: DescribeContext): Promise<ReplicaSet[]> {
  const labelSelector = selectorText(spec?.selector);
  const sets = await listAll(context, appsV1.replicasets, metadata.namespace, { labelSelector }).catch(() => []);
  const ageOf = ({ metadata: { creationTimestamp, name = '' } }: ReplicaSet) => `${creationTimestamp ?? ''} ${name}`;
  return sets.filter((set) => controllerOf(set)?.uid === metadata.uid).sort((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1));
}

/** Whether the template of a replica set equals the template of the deployment. */
function sameTemplate(set: ReplicaSet, deployment: Deployment): boolean {
  const textOf = (template: PodTemplateSpec | undefined) => {
    const { [HASH_LABEL]: _, ...labels } = template?.metadata?.labels ?? {};
    return toCompactJson({ ...template, metadata: { ...template?.metadata, labels } });
  };
  return textOf(set.spec?.template) === textOf(deployment.spec?.template);
}

function setsText(sets: readonly ReplicaSet[]): string {
  const texts = sets.map(
    ({ metadata, spec, status }) =>
      `${metadata.name} (${status?.replicas ?? 0}/${spec?.replicas ?? 0} replicas created)`,
  );
  return texts.join(', ') || '<none>';
}
