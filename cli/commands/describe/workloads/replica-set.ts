import { selectorText } from '#client/label-selector.ts';
import type { ReplicaSet } from '#schema/generated/apps.v1.ts';
import type { ReplicationController } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { describeReasons } from '../conditions.ts';
import type { Describer } from '../describer.ts';
import { controlledBy, marks, names } from '../heading.ts';
import { describeTemplate } from '../pod/template.ts';
import { podCountsText } from './pod-counts.ts';

/**
 * Describes a replica set or a replication controller. The selector of a replication controller consists of labels
 * only.
 */
export const describeReplicaSet: Describer = async (writer, object, context) => {
  const { spec, status } = object as ReplicaSet | ReplicationController;
  const selector = isReplicaSet(object)
    ? selectorText(object.spec?.selector)
    : selectorText({ matchLabels: (object as ReplicationController).spec?.selector ?? {} });
  names(writer, object);
  writer.field(0, 'Selector', selector || '<none>');
  marks(writer, object);
  controlledBy(writer, object);
  writer.field(0, 'Replicas', `${status?.replicas ?? 0} current / ${spec?.replicas ?? 0} desired`);
  const counts = await podCountsText(object, selector, context).catch((error: unknown) => {
    if (!isReplicaSet(object)) throw error;
    return `error in fetching pods: ${error instanceof Error ? error.message : String(error)}`;
  });
  writer.field(0, 'Pods Status', counts);
  describeTemplate(writer, spec?.template);
  describeReasons(writer, status?.conditions);
};

function isReplicaSet(object: ApiObject): object is ReplicaSet {
  return object.kind === 'ReplicaSet';
}
