import { coreV1 } from '#client/generated/resources.ts';
import type { Namespace } from '#schema/generated/core.v1.ts';
import type { Describer } from './describer.ts';
import { marks } from './heading.ts';
import { describeLimits } from './limit-range.ts';
import { describeQuotas } from './resource-quota.ts';
import { timeText } from './times.ts';

/** Describes a namespace, with its quotas and limits. */
export const describeNamespace: Describer = async (writer, object, { client }) => {
  const { metadata, status } = object as Namespace;
  const { name = '' } = metadata;
  const [quotas, limits] = await Promise.all([
    client.resource(coreV1.resourcequotas).in(name).list(),
    client.resource(coreV1.limitranges).in(name).list(),
  ]);
  writer.field(0, 'Name', name);
  marks(writer, object);
  writer.field(0, 'Status', status?.phase ?? '');
  const conditions = status?.conditions ?? [];
  if (conditions.length > 0) {
    writer.line(0, 'Conditions:');
    writer.table(
      1,
      ['Type', 'Status', 'LastTransitionTime', 'Reason', 'Message'],
      conditions.map((one) => [one.type, one.status, timeText(one.lastTransitionTime), one.reason, one.message]),
    );
  }
  writer.line(0, '');
  describeQuotas(writer, quotas.items);
  writer.line(0, '');
  describeLimits(writer, limits.items);
};
