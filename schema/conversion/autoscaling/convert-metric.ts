import type * as V1 from '../../generated/autoscaling.v1.ts';
import type * as V2 from '../../generated/autoscaling.v2.ts';
import type { LabelSelector } from '../../generated/meta.v1.ts';

/** Only the fields of an object that are set. */
function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

function identifier(name: string, selector: LabelSelector | undefined): V2.MetricIdentifier {
  return given({ name, selector }) as V2.MetricIdentifier;
}

type Amounts = Pick<V2.MetricTarget, 'averageUtilization' | 'averageValue'>;

function resourceTarget({ averageUtilization, averageValue }: Amounts): V2.MetricTarget {
  const type = averageUtilization === undefined ? 'AverageValue' : 'Utilization';
  return given({ type, averageUtilization, averageValue }) as V2.MetricTarget;
}

type FlatTarget = Pick<V1.ResourceMetricSource, 'targetAverageUtilization' | 'targetAverageValue'>;

function flatTarget({ averageUtilization, averageValue }: V2.MetricTarget): FlatTarget {
  return given({ targetAverageUtilization: averageUtilization, targetAverageValue: averageValue }) as FlatTarget;
}

/** A metric in the form of the annotation that v1 objects carry. Amounts that v1 requires are zero when missing. */
export function metricToV1({
  type,
  object,
  pods,
  resource,
  external,
  containerResource,
}: V2.MetricSpec): V1.MetricSpec {
  return given({
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      targetValue: object.target.value ?? '0',
      ...given({ selector: object.metric.selector, averageValue: object.target.averageValue }),
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? '0',
      ...given({ selector: pods.metric.selector }),
    },
    resource: resource && { name: resource.name, ...flatTarget(resource.target) },
    external: external && {
      metricName: external.metric.name,
      ...given({
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
    },
    containerResource: containerResource && {
      name: containerResource.name,
      container: containerResource.container,
      ...flatTarget(containerResource.target),
    },
  }) as V1.MetricSpec;
}

/** The inverse of {@link metricToV1}. The type of a target depends on the amounts that it has. */
export function metricFromV1(metric: V1.MetricSpec): V2.MetricSpec {
  const { type, object, pods, resource, external, containerResource } = metric;
  const flat = ({ targetAverageUtilization, targetAverageValue }: FlatTarget): V2.MetricTarget =>
    resourceTarget(
      given({ averageUtilization: targetAverageUtilization, averageValue: targetAverageValue }) as Amounts,
    );
  return given({
    type,
    object: object && {
      describedObject: object.target,
      metric: identifier(object.metricName, object.selector),
      target: given({
        type: object.averageValue === undefined ? 'Value' : 'AverageValue',
        value: object.targetValue,
        averageValue: object.averageValue,
      }),
    },
    pods: pods && {
      metric: identifier(pods.metricName, pods.selector),
      target: { type: 'AverageValue', averageValue: pods.targetAverageValue },
    },
    resource: resource && { name: resource.name, target: flat(resource) },
    external: external && {
      metric: identifier(external.metricName, external.metricSelector),
      target: given({
        type: external.targetValue === undefined ? 'AverageValue' : 'Value',
        value: external.targetValue,
        averageValue: external.targetAverageValue,
      }),
    },
    containerResource: containerResource && {
      name: containerResource.name,
      container: containerResource.container,
      target: flat(containerResource),
    },
  }) as V2.MetricSpec;
}

/** A current metric in the form of the annotation that v1 objects carry. */
export function currentToV1(metric: V2.MetricStatus): V1.MetricStatus {
  const { type, object, pods, resource, external, containerResource } = metric;
  const flat = ({ averageUtilization, averageValue }: V2.MetricValueStatus) => ({
    ...given({ currentAverageUtilization: averageUtilization }),
    currentAverageValue: averageValue ?? '0',
  });
  return given({
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      currentValue: object.current.value ?? '0',
      ...given({ selector: object.metric.selector, averageValue: object.current.averageValue }),
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? '0',
      ...given({ selector: pods.metric.selector }),
    },
    resource: resource && { name: resource.name, ...flat(resource.current) },
    external: external && {
      metricName: external.metric.name,
      currentValue: external.current.value ?? '0',
      ...given({ metricSelector: external.metric.selector, currentAverageValue: external.current.averageValue }),
    },
    containerResource: containerResource && {
      name: containerResource.name,
      container: containerResource.container,
      ...flat(containerResource.current),
    },
  }) as V1.MetricStatus;
}

/** The inverse of {@link currentToV1}. */
export function currentFromV1(metric: V1.MetricStatus): V2.MetricStatus {
  const { type, object, pods, resource, external, containerResource } = metric;
  const flat = ({ currentAverageUtilization, currentAverageValue }: V1.ResourceMetricStatus) =>
    given({ averageUtilization: currentAverageUtilization, averageValue: currentAverageValue });
  return given({
    type,
    object: object && {
      describedObject: object.target,
      metric: identifier(object.metricName, object.selector),
      current: given({ value: object.currentValue, averageValue: object.averageValue }),
    },
    pods: pods && {
      metric: identifier(pods.metricName, pods.selector),
      current: { averageValue: pods.currentAverageValue },
    },
    resource: resource && { name: resource.name, current: flat(resource) },
    external: external && {
      metric: identifier(external.metricName, external.metricSelector),
      current: given({ value: external.currentValue, averageValue: external.currentAverageValue }),
    },
    containerResource: containerResource && {
      name: containerResource.name,
      container: containerResource.container,
      current: flat(containerResource),
    },
  }) as V2.MetricStatus;
}
