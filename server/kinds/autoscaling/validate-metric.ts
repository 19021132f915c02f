import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from '#schema/generated/autoscaling.v2.ts';
import { dns1123Label, pathSegmentName } from '#schema/validation/names.ts';
import { validateScaleTarget } from '#schema/validation/reference.ts';
import type { ResourceNames } from '#schema/validation/resource-names.ts';
import { parseQuantity } from '#schema/values/quantity.ts';

const TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];
/** The source of each type, in the order of the checks. */
const SOURCES = {
  Object: 'object',
  External: 'external',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
} as const;

const NO_SOURCE = 'must populate information for the given metric source';

function isPositive(value: string): boolean {
  return parseQuantity(value).sign > 0;
}

function validateTarget(
  { type, value, averageValue, averageUtilization }: MetricTarget,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(path.child('type'), 'must specify a metric target type'));
  if (!TARGET_TYPES.includes(type)) {
    errors.push(invalidValue(path.child('type'), type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const [field, amount] of Object.entries({ value, averageValue })) {
    if (amount !== undefined && !isPositive(amount)) {
      errors.push(invalidValue(path.child(field), amount, 'must be positive'));
    }
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(invalidValue(path.child('averageUtilization'), averageUtilization, 'must be greater than 0'));
  }
  return errors;
}

function validateIdentifier({ name }: MetricIdentifier, path: FieldPath): FieldError[] {
  const at = path.child('name');
  if (name === '') return [required(at, 'must specify a metric name')];
  return pathSegmentName(name).map((problem) => invalidValue(at, name, problem));
}

function validateObject({ describedObject, metric, target }: ObjectMetricSource, path: FieldPath): FieldError[] {
  const errors = [
    ...validateScaleTarget(describedObject, path.child('describedObject')),
    ...validateIdentifier(metric, path.child('metric')),
    ...validateTarget(target, path.child('target')),
  ];
  if (target.value === undefined && target.averageValue === undefined) {
    errors.push(required(path.child('target', 'averageValue'), 'must set either a target value or averageValue'));
  }
  return errors;
}

function validateExternal({ metric, target }: ExternalMetricSource, path: FieldPath): FieldError[] {
  const errors = [...validateIdentifier(metric, path.child('metric')), ...validateTarget(target, path.child('target'))];
  if (target.value === undefined && target.averageValue === undefined) {
    const detail = 'must set either a target value for metric or a per-pod target';
    errors.push(required(path.child('target', 'averageValue'), detail));
  }
  if (target.value !== undefined && target.averageValue !== undefined) {
    const detail = 'may not set both a target value for metric and a per-pod target';
    errors.push(forbiddenField(path.child('target', 'value'), detail));
  }
  return errors;
}

function validatePods({ metric, target }: PodsMetricSource, path: FieldPath): FieldError[] {
  const errors = [...validateIdentifier(metric, path.child('metric')), ...validateTarget(target, path.child('target'))];
  if (target.averageValue === undefined) {
    errors.push(required(path.child('target', 'averageValue'), 'must specify a positive target averageValue'));
  }
  return errors;
}

function validateResourceTarget(target: MetricTarget, path: FieldPath): FieldError[] {
  const errors = validateTarget(target, path);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined) {
    const detail = 'must set either a target raw value or a target utilization';
    errors.push(required(path.child('averageUtilization'), detail));
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    const detail = 'may not set both a target raw value and a target utilization';
    errors.push(forbiddenField(path.child('averageValue'), detail));
  }
  return errors;
}

function validateResource({ name, target }: ResourceMetricSource, path: FieldPath): FieldError[] {
  return [
    ...(name === '' ? [required(path.child('name'), 'must specify a resource name')] : []),
    ...validateResourceTarget(target, path.child('target')),
  ];
}

function validateContainerResource(
  { name, container, target }: ContainerResourceMetricSource,
  path: FieldPath,
  names: ResourceNames,
): FieldError[] {
  const [ofName, ofContainer] = [path.child('name'), path.child('container')];
  return [
    ...(name === '' ? [required(ofName, 'must specify a resource name')] : names.validateForContainer(name, ofName)),
    ...(container === ''
      ? [required(ofContainer, 'must specify a container')]
      : dns1123Label(container).map((problem) => invalidValue(ofContainer, container, problem))),
    ...validateResourceTarget(target, path.child('target')),
  ];
}

type Source = (typeof SOURCES)[keyof typeof SOURCES];

function validateSource(
  metric: MetricSpec,
  source: Source | undefined,
  path: FieldPath,
  names: ResourceNames,
): FieldError[] {
  switch (source) {
    case 'object':
      return validateObject(metric.object!, path.child(source));
    case 'external':
      return validateExternal(metric.external!, path.child(source));
    case 'pods':
      return validatePods(metric.pods!, path.child(source));
    case 'resource':
      return validateResource(metric.resource!, path.child(source));
    case 'containerResource':
      return validateContainerResource(metric.containerResource!, path.child(source), names);
    case undefined:
      return [];
  }
}

/**
 * Validates one metric. It has a type, and only the source of that type. `containers` means that metrics of single
 * containers are allowed.
 */
export function validateMetric(
  metric: MetricSpec,
  containers: boolean,
  path: FieldPath,
  names: ResourceNames,
): FieldError[] {
  const { type } = metric;
  const errors: FieldError[] = [];
  const unknown = notSupported(path.child('type'), type, TYPES);
  if (type === '') errors.push(required(path.child('type'), 'must specify a metric source type'));
  if (!TYPES.includes(type)) errors.push(unknown);
  const present = Object.values(SOURCES).filter((source) => metric[source] !== undefined);
  append(errors, validateSource(metric, present[0], path, names));
  const expected = Object.hasOwn(SOURCES, type) ? SOURCES[type as keyof typeof SOURCES] : undefined;
  if (expected === undefined) errors.push(unknown);
  else if (metric[expected] === undefined) {
    const off = expected === 'containerResource' && !containers;
    const detail = off ? `${NO_SOURCE} (only allowed when HPAContainerMetrics feature is enabled)` : NO_SOURCE;
    errors.push(required(path.child(expected), detail));
  }
  if (present.length > 1) {
    for (const source of present) {
      if (source !== expected) {
        errors.push(forbiddenField(path.child(source), 'must populate the given metric source only'));
      }
    }
  }
  return errors;
}
