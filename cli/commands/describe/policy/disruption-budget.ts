import { selectorText } from '#client/label-selector.ts';
import type { PodDisruptionBudget } from '#schema/generated/policy.v1.ts';
import type { Describer } from '../describer.ts';
import { names } from '../heading.ts';

/** Describes a disruption budget. Shows its limit, and the numbers of its pods. */
export const describeDisruptionBudget: Describer = (writer, object) => {
  const { spec, status } = object as PodDisruptionBudget;
  names(writer, object);
  if (spec?.minAvailable != null) writer.field(0, 'Min available', spec.minAvailable);
  else if (spec?.maxUnavailable != null) writer.field(0, 'Max unavailable', spec.maxUnavailable);
  writer.field(0, 'Selector', spec?.selector ? selectorText(spec.selector) || '<none>' : '<unset>');
  writer.line(0, 'Status:');
  writer.fields(2, {
    'Allowed disruptions': status?.disruptionsAllowed ?? 0,
    Current: status?.currentHealthy ?? 0,
    Desired: status?.desiredHealthy ?? 0,
    Total: status?.expectedPods ?? 0,
  });
};
