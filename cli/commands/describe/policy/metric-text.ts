import type {
  ContainerResourceMetricSource,
  MetricSpec,
  MetricStatus,
  ResourceMetricSource,
} from '#schema/generated/autoscaling.v2.ts';

const UNKNOWN = '<unknown>';

/** A metric of an autoscaler, with its name, its current value and its target value. */
export function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  const { external, pods, object, resource, containerResource } = metric;
  if (external) {
    const { target, metric: named } = external;
    const current = status?.external?.current;
    return target.averageValue != null
      ? `${quoted(named.name)} (target average value):\t${current?.averageValue ?? UNKNOWN} / ${target.averageValue}`
      : `${quoted(named.name)} (target value):\t${orNil(current, current?.value)} / ${target.value ?? '<nil>'}`;
  }
  if (pods) {
    const current = status?.pods?.current;
    return `${quoted(pods.metric.name)} on pods:\t${orNil(current, current?.averageValue)} / ${pods.target.averageValue}`;
  }
  if (object) {
    const { target, describedObject, metric: named } = object;
    const current = status?.object?.current;
    const average = target.type === 'AverageValue';
    const [shown, wanted] = average ? [current?.averageValue, target.averageValue] : [current?.value, target.value];
    const on = `${describedObject.kind}/${describedObject.name}`;
    return `${quoted(named.name)} on ${on} (target ${average ? 'average ' : ''}value):\t${orNil(current, shown)} / ${wanted}`;
  }
  if (resource) return `resource ${resource.name} on pods${shareText(resource, status?.resource?.current)}`;
  if (containerResource) {
    const { name, container } = containerResource;
    const share = shareText(containerResource, status?.containerResource?.current);
    return `resource ${name} of container ${quoted(container)} on pods${share}`;
  }
  return `<unknown metric type ${quoted(metric.type)}>`;
}

const quoted = (text: string) => JSON.stringify(text);

/**
 * A value from the status. `<unknown>` means that the whole status of the metric is missing. `<nil>` means that only
 * the value is missing.
 */
function orNil(known: object | null | undefined, value: string | null | undefined): string {
  return known ? (value ?? '<nil>') : UNKNOWN;
}

interface Share {
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

function shareText(
  { target }: ResourceMetricSource | ContainerResourceMetricSource,
  current: Share | undefined,
): string {
  if (target.averageValue != null) return `:\t${orNil(current, current?.averageValue)} / ${target.averageValue}`;
  const used = current?.averageUtilization;
  const shown = used == null ? UNKNOWN : `${used}% (${current?.averageValue ?? '<nil>'})`;
  const wanted = target.averageUtilization == null ? '<auto>' : `${target.averageUtilization}%`;
  return `  (as a percentage of request):\t${shown} / ${wanted}`;
}
