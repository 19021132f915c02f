import { tooLarge } from '#base/errors/status-error.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import type { Naming } from '#base/naming/naming.ts';
import { sharedMessage } from '../../descriptors/load.ts';
import type * as V1 from '../../generated/autoscaling.v1.ts';
import type * as V2 from '../../generated/autoscaling.v2.ts';
import type { ObjectMeta } from '../../objects/api-object.ts';
import { decodeObject } from '../../objects/decode.ts';
import { normalize } from '../../objects/normalize.ts';

/** The names of the annotations that v1 objects carry for the parts of an autoscaler without a field in v1. */
const NAMES = ['metrics', 'behavior', 'current-metrics', 'conditions'] as const;

type Name = (typeof NAMES)[number];

function key(name: Name, naming: Naming): string {
  return naming.key(`autoscaling.alpha/${name}`);
}

/** Removes the annotations of this file. */
export function dropAnnotations(metadata: ObjectMeta, naming: Naming): void {
  for (const name of NAMES) delete metadata.annotations?.[key(name, naming)];
  if (Object.keys(metadata.annotations ?? {}).length === 0) delete metadata.annotations;
}

/**
 * The largest number of characters of an annotation to read. The server counts the values of a body, but not the values
 * in an annotation.
 */
const MOST_READ = 1 << 18;

/**
 * The value of an annotation; undefined if it is missing or is not JSON.
 *
 * @throws StatusError (413) for a very long annotation
 */
function parsed(metadata: ObjectMeta, name: Name, naming: Naming): JsonValue | undefined {
  const text = metadata.annotations?.[key(name, naming)];
  if (text === undefined) return undefined;
  if (text.length > MOST_READ) throw tooLarge(`the annotation ${key(name, naming)} is too long`);
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** A list of messages from an annotation; undefined if the annotation is missing or does not have this form. */
function list<T>(metadata: ObjectMeta, name: Name, message: string, naming: Naming): T[] | undefined {
  const value = parsed(metadata, name, naming);
  if (!Array.isArray(value)) return undefined;
  const type = sharedMessage(message);
  try {
    return value.map((item) => decodeObject(type, item) as unknown as T);
  } catch {
    return undefined;
  }
}

export function readMetrics(metadata: ObjectMeta, naming: Naming): V1.MetricSpec[] | undefined {
  return list(metadata, 'metrics', 'autoscaling.v1.MetricSpec', naming);
}

export function readCurrentMetrics(metadata: ObjectMeta, naming: Naming): V1.MetricStatus[] | undefined {
  return list(metadata, 'current-metrics', 'autoscaling.v1.MetricStatus', naming);
}

export function readConditions(
  metadata: ObjectMeta,
  naming: Naming,
): V2.HorizontalPodAutoscalerCondition[] | undefined {
  return list(metadata, 'conditions', 'autoscaling.v1.HorizontalPodAutoscalerCondition', naming);
}

/**
 * The value with a small first letter in all names, at any depth. The behavior's annotation has a capital first letter.
 */
function uncapitalized(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(uncapitalized);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name.charAt(0).toLowerCase() + name.slice(1), uncapitalized(child)]),
  );
}

export function readBehavior(metadata: ObjectMeta, naming: Naming): V2.HorizontalPodAutoscalerBehavior | undefined {
  const value = parsed(metadata, 'behavior', naming);
  if (!isObject(value)) return undefined;
  try {
    const type = sharedMessage('autoscaling.v2.HorizontalPodAutoscalerBehavior');
    const behavior = decodeObject(type, uncapitalized(value)) as unknown as V2.HorizontalPodAutoscalerBehavior;
    return behavior.scaleUp === undefined && behavior.scaleDown === undefined ? undefined : behavior;
  } catch {
    return undefined;
  }
}

function write(metadata: ObjectMeta, name: Name, value: JsonValue, naming: Naming): void {
  metadata.annotations = { ...metadata.annotations, [key(name, naming)]: stringify(value) };
}

function writeList(metadata: ObjectMeta, name: Name, message: string, items: readonly object[], naming: Naming): void {
  if (items.length === 0) return;
  const type = sharedMessage(message);
  const value = items.map((item) => normalize(type, item));
  write(metadata, name, value, naming);
}

function rules(given: V2.HPAScalingRules | undefined): JsonObject | null {
  if (given === undefined) return null;
  return {
    StabilizationWindowSeconds: given.stabilizationWindowSeconds ?? null,
    SelectPolicy: given.selectPolicy ?? null,
    Policies:
      given.policies?.map(({ type, value, periodSeconds }) => ({
        Type: type,
        Value: value,
        PeriodSeconds: periodSeconds,
      })) ?? null,
  };
}

/** The parts of an autoscaler that have no field in v1. */
export interface Hidden {
  readonly metrics: readonly V1.MetricSpec[];
  readonly behavior: V2.HorizontalPodAutoscalerBehavior | undefined;
  readonly currentMetrics: readonly V1.MetricStatus[];
  readonly conditions: readonly V2.HorizontalPodAutoscalerCondition[];
}

/**
 * Writes the parts without a field in v1 into annotations. An empty part gets no annotation.
 *
 * @example writeAnnotations(metadata, { metrics, currentMetrics, conditions, behavior }, naming);
 */
export function writeAnnotations(metadata: ObjectMeta, hidden: Hidden, naming: Naming): void {
  writeList(metadata, 'metrics', 'autoscaling.v1.MetricSpec', hidden.metrics, naming);
  writeList(metadata, 'current-metrics', 'autoscaling.v1.MetricStatus', hidden.currentMetrics, naming);
  writeList(metadata, 'conditions', 'autoscaling.v1.HorizontalPodAutoscalerCondition', hidden.conditions, naming);
  const { behavior } = hidden;
  if (behavior === undefined) return;
  write(metadata, 'behavior', { ScaleUp: rules(behavior.scaleUp), ScaleDown: rules(behavior.scaleDown) }, naming);
}
