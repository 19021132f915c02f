import type { Release } from '#base/release/release.ts';
import type { MetricSpec, MetricStatus } from '#schema/generated/autoscaling.v2.ts';

/** The number of metrics that are shown in full. */
const SHOWN = 2;
const UNKNOWN = '<unknown>';

interface Amounts {
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

function percent(value: number | undefined, missing: string): string {
  return value === undefined ? missing : `${value}%`;
}

function perPod(current: Amounts | undefined, target: Amounts | undefined, mark: string): string {
  return `${current?.averageValue ?? UNKNOWN}/${target?.averageValue ?? UNKNOWN}${mark}`;
}

function total(current: Amounts | undefined, target: Amounts | undefined): string {
  if (target?.averageValue !== undefined) return perPod(current, target, ' (avg)');
  return `${current?.value ?? UNKNOWN}/${target?.value ?? UNKNOWN}`;
}

function ofResource(current: Amounts | undefined, target: Amounts | undefined): string {
  if (target?.averageValue !== undefined) return perPod(current, target, '');
  return `${percent(current?.averageUtilization, UNKNOWN)}/${percent(target?.averageUtilization, '<auto>')}`;
}

function metricText(metric: MetricSpec, status: MetricStatus | undefined, withNames: boolean): string {
  const named = (resource: { readonly name: string } | undefined, text: string) =>
    withNames ? `${resource?.name ?? ''}: ${text}` : text;
  switch (metric.type) {
    case 'External':
      return total(status?.external?.current, metric.external?.target);
    case 'Object':
      return total(status?.object?.current, metric.object?.target);
    case 'Pods':
      return perPod(status?.pods?.current, metric.pods?.target, '');
    case 'Resource':
      return named(metric.resource, ofResource(status?.resource?.current, metric.resource?.target));
    case 'ContainerResource':
      return named(
        metric.containerResource,
        ofResource(status?.containerResource?.current, metric.containerResource?.target),
      );
    default:
      return '<unknown type>';
  }
}

/**
 * Metrics in a table, with the current value before the target: `42%/80%, 700m/1500m + 1 more...`. Since 1.30 those of
 * resources have names: `cpu: 42%/80%`.
 */
export function targetsText(
  metrics: readonly MetricSpec[] | undefined,
  statuses: readonly MetricStatus[] | null | undefined,
  release: Release,
): string {
  const texts = (metrics ?? []).map((metric, i) => metricText(metric, statuses?.[i], release.atLeast(30)));
  if (texts.length === 0) return '<none>';
  const shown = texts.slice(0, SHOWN).join(', ');
  return texts.length > SHOWN ? `${shown} + ${texts.length - SHOWN} more...` : shown;
}
