import type { HorizontalPodAutoscaler, HPAScalingRules } from '#schema/generated/autoscaling.v2.ts';
import type { Describer } from '../describer.ts';
import { heading } from '../heading.ts';
import { timeText } from '../times.ts';
import type { DescriptionWriter } from '../writer.ts';
import { metricText } from './metric-text.ts';

/** Describes an autoscaler of a workload. Shows its metrics, and how fast it scales. */
export const describePodAutoscaler: Describer = (writer, object) => {
  const { metadata, spec, status } = object as HorizontalPodAutoscaler;
  const { kind = '', name = '' } = spec?.scaleTargetRef ?? {};
  heading(writer, object);
  writer.field(0, 'CreationTimestamp', timeText(metadata.creationTimestamp));
  writer.field(0, 'Reference', `${kind}/${name}`);
  writer.field(0, 'Metrics', '( current / target )');
  (spec?.metrics ?? []).forEach((metric, at) => {
    writer.line(1, metricText(metric, status?.currentMetrics?.[at]));
  });
  writer.field(0, 'Min replicas', spec?.minReplicas ?? '<unset>');
  writer.field(0, 'Max replicas', spec?.maxReplicas ?? 0);
  const { scaleUp, scaleDown } = spec?.behavior ?? {};
  if (spec?.behavior) writer.line(0, 'Behavior:');
  if (scaleUp) describeDirection(writer, 'Scale Up', scaleUp);
  if (scaleDown) describeDirection(writer, 'Scale Down', scaleDown);
  writer.field(0, `${kind} pods`, `${status?.currentReplicas ?? 0} current / ${status?.desiredReplicas ?? 0} desired`);
  if (!status?.conditions?.length) return;
  writer.line(0, 'Conditions:');
  const rows = status.conditions.map((one) => [one.type, one.status, one.reason ?? '', one.message ?? '']);
  writer.table(1, ['Type', 'Status', 'Reason', 'Message'], rows);
};

function describeDirection(
  writer: DescriptionWriter,
  title: string,
  { stabilizationWindowSeconds, selectPolicy, policies }: HPAScalingRules,
): void {
  writer.line(1, `${title}:`);
  if (stabilizationWindowSeconds != null) writer.line(2, `Stabilization Window: ${stabilizationWindowSeconds} seconds`);
  if (!policies?.length) return;
  writer.line(2, `Select Policy: ${selectPolicy ?? 'Max'}`);
  writer.line(2, 'Policies:');
  for (const { type, value, periodSeconds } of policies)
    writer.line(3, `- Type: ${type}\tValue: ${value}\tPeriod: ${periodSeconds} seconds`);
}
