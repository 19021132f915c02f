import type { Client } from '#client/client.ts';
import type { Discovery } from '#client/discovery/discovery.ts';
import { ApiError } from '#client/errors.ts';
import { selectorText } from '#client/label-selector.ts';
import { pathSegment } from '#client/path-segment.ts';
import type { CrossVersionObjectReference, MetricIdentifier } from '#schema/generated/autoscaling.v2.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';
import { parseQuantity } from '#schema/values/quantity.ts';
import type { PodMetric } from './replica-count.ts';

/** The measuring period of a metric that does not report one. */
const DEFAULT_WINDOW_MS = 60_000;

interface PodMetricsList {
  readonly items?: readonly {
    readonly metadata: ObjectMeta;
    readonly timestamp?: string;
    readonly window?: string;
    readonly containers?: readonly { readonly name: string; readonly usage?: Readonly<Record<string, string>> }[];
  }[];
}

interface ValueList {
  readonly items?: readonly {
    readonly describedObject?: { readonly name?: string };
    readonly timestamp?: string;
    readonly windowSeconds?: number;
    readonly window?: number;
    readonly value: string;
  }[];
}

/** A quantity in thousandths, rounded up. */
export function milliOf(text: string): number {
  const { nanos } = parseQuantity(text);
  return Number((nanos + 999_999n) / 1_000_000n);
}

/** Reads the groups of metrics that extension servers serve. */
export class MetricsReader {
  readonly #client: Client;
  readonly #discovery: Discovery;

  constructor(client: Client, discovery: Discovery) {
    this.#client = client;
    this.#discovery = discovery;
  }

  /**
   * The usage of a resource by pods: the sum of all their containers, or only the container with this name. A pod is
   * left out if one of these containers has no number.
   *
   * @throws Error in the words of the field
   */
  async resource(
    resource: string,
    { namespace, selector, container }: { namespace: string; selector: string; container?: string | undefined },
  ): Promise<ReadonlyMap<string, PodMetric>> {
    const path = `${this.#root('metrics', 'v1beta1')}/namespaces/${pathSegment(namespace)}/pods`;
    const { items = [] } = await this.#read<PodMetricsList>('resource', path, { labelSelector: selector });
    if (items.length === 0) throw new Error('no metrics returned from resource metrics API');
    const found = new Map<string, PodMetric>();
    for (const { metadata, timestamp = '', window = '', containers = [] } of items) {
      const counted = container === undefined ? containers : containers.filter(({ name }) => name === container);
      if (container !== undefined && counted.length === 0)
        throw new Error(`container ${container} not present in metrics for pod ${namespace}/${metadata.name}`);
      const amounts = counted.map(({ usage }) => usage?.[resource]);
      if (amounts.includes(undefined)) continue;
      const milli = amounts.reduce((sum, amount) => sum + milliOf(amount!), 0);
      found.set(metadata.name ?? '', { milli, at: Date.parse(timestamp) || 0, windowMs: windowOf(window) });
    }
    return found;
  }

  /** The number that a metric has for each pod. @throws Error */
  async pods(metric: MetricIdentifier, namespace: string, selector: string): Promise<ReadonlyMap<string, PodMetric>> {
    const path = `${this.#root('custom.metrics', 'v1beta1')}/namespaces/${pathSegment(namespace)}/pods/*/${pathSegment(metric.name)}`;
    const query = { labelSelector: selector, metricLabelSelector: selectorText(metric.selector) };
    const { items = [] } = await this.#read<ValueList>('custom', path, query);
    if (items.length === 0) throw new Error('no metrics returned from custom metrics API');
    return new Map(
      items.map(({ describedObject, timestamp = '', windowSeconds, value }) => [
        describedObject?.name ?? '',
        {
          milli: milliOf(value),
          at: Date.parse(timestamp) || 0,
          windowMs: windowSeconds === undefined ? DEFAULT_WINDOW_MS : windowSeconds * 1000,
        },
      ]),
    );
  }

  /** The number that a metric has for an object, in thousandths. @throws Error */
  async object(metric: MetricIdentifier, namespace: string, of: CrossVersionObjectReference): Promise<number> {
    const type = (await this.#discovery.get()).ofKind(of.apiVersion ?? '', of.kind);
    if (type === undefined) throw new Error(`no matches for kind "${of.kind}" in version "${of.apiVersion ?? ''}"`);
    const plural = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
    const place =
      of.kind === 'Namespace' && type.group === ''
        ? `namespaces/${pathSegment(of.name)}/metrics`
        : `${type.namespaced ? `namespaces/${pathSegment(namespace)}/` : ''}${plural}/${pathSegment(of.name)}`;
    const path = `${this.#root('custom.metrics', 'v1beta1')}/${place}/${pathSegment(metric.name)}`;
    const query = { metricLabelSelector: selectorText(metric.selector) };
    const { items: [first] = [] } = await this.#read<ValueList>('custom', path, query);
    if (first === undefined) throw new Error('no metrics returned from custom metrics API');
    return milliOf(first.value);
  }

  /** The sum of the numbers of a metric from outside the cluster, in thousandths. @throws Error */
  async external(metric: MetricIdentifier, namespace: string): Promise<number> {
    const path = `${this.#root('external.metrics', 'v1beta1')}/namespaces/${pathSegment(namespace)}/${pathSegment(metric.name)}`;
    const query = { labelSelector: selectorText(metric.selector) };
    const { items = [] } = await this.#read<ValueList>('external', path, query);
    if (items.length === 0) throw new Error('no metrics returned from external metrics API');
    return items.reduce((sum, { value }) => sum + milliOf(value), 0);
  }

  #root(group: string, version: string): string {
    return `/apis/${this.#client.naming.apiVersion(group, version)}`;
  }

  async #read<T>(api: string, path: string, query: Readonly<Record<string, string>>): Promise<T> {
    const wanted = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
    try {
      return await this.#client.getJson<T>(wanted.size === 0 ? path : `${path}?${wanted}`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new Error(`unable to fetch metrics from ${api} metrics API: ${error.message}`, { cause: error });
    }
  }
}

/** The milliseconds of a text such as `15s` or `1m30.5s`. */
function windowOf(text: string): number {
  const units = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (parts.length === 0) return DEFAULT_WINDOW_MS;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * units[unit as keyof typeof units], 0);
}
