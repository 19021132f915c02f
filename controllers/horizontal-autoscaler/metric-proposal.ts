import { selectorText } from '#client/label-selector.ts';
import type { MetricSpec, MetricStatus, MetricTarget } from '#schema/generated/autoscaling.v2.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { canonicalQuantity } from '#schema/values/quantity.ts';
import { isReady } from '../pods/pod-state.ts';
import { type MetricsReader, milliOf } from './metrics-reader.ts';
import {
  type Counted,
  isWithin,
  replicasFor,
  replicasForRatio,
  type StartTimes,
  type Tolerance,
} from './replica-count.ts';

/** The data with which the metrics of a target are evaluated. */
export interface Judging {
  readonly reader: Pick<MetricsReader, 'resource' | 'pods' | 'object' | 'external'>;
  readonly namespace: string;
  /** The label selector of the target's pods, in the form of a list parameter. */
  readonly selector: string;
  /** Reads these pods, once for all metrics. */
  readonly pods: () => Promise<readonly Pod[]>;
  /** The number of replicas that the target wants, and the number that it has. */
  readonly wanted: number;
  readonly there: number;
  readonly times: StartTimes;
  readonly tolerance: Tolerance;
  readonly now: number;
}

/** The number of replicas that one metric asks for, or the reason why there is none. */
export type Proposal =
  | { readonly replicas: number; readonly from: string; readonly status: MetricStatus }
  | { readonly reason: string; readonly cause: string; readonly failure: string };

/** Computes how many replicas a metric asks for. */
export async function proposalOf(metric: MetricSpec, judging: Judging): Promise<Proposal> {
  const words = wordsOf(metric);
  try {
    return await computed(metric, judging);
  } catch (error) {
    const { message } = error as Error;
    return { reason: words.reason, cause: `${words.failed}: ${message}`, failure: words.failure };
  }
}

function computed(metric: MetricSpec, judging: Judging): Promise<Proposal> {
  const { resource, containerResource, pods, object, external } = metric;
  if (resource !== undefined || containerResource !== undefined) return ofResource(metric, judging);
  if (pods !== undefined) return ofPods(pods, judging);
  if (object !== undefined) {
    const { describedObject, metric: named, target } = object;
    const read = () => judging.reader.object(named, judging.namespace, describedObject);
    return ofNumber(read, target, judging, `${describedObject.kind} metric ${named.name}`, (current) => ({
      type: 'Object',
      object: { describedObject, metric: named, current },
    }));
  }
  if (external !== undefined) {
    const { metric: named, target } = external;
    const read = () => judging.reader.external(named, judging.namespace);
    const from = `external metric ${named.name}(${selectorText(named.selector)})`;
    return ofNumber(read, target, judging, from, (current) => ({
      type: 'External',
      external: { metric: named, current },
    }));
  }
  throw new Error(`unknown metric source type "${metric.type}"`);
}

async function ofResource({ resource, containerResource }: MetricSpec, judging: Judging): Promise<Proposal> {
  const { name, target } = (resource ?? containerResource)!;
  const container = containerResource?.container;
  const { namespace, selector, reader, wanted } = judging;
  let metrics: Awaited<ReturnType<Judging['reader']['resource']>>;
  try {
    metrics = await reader.resource(name, { namespace, selector, container });
  } catch (error) {
    throw new Error(`unable to get metrics for resource ${name}: ${(error as Error).message}`, { cause: error });
  }
  const pods = await judging.pods();
  const { averageValue, averageUtilization } = target;
  const wish =
    averageUtilization === undefined
      ? { average: milliOf(averageValue ?? '0') }
      : { utilization: averageUtilization, requests: requestsOf(pods, name, container) };
  const found = replicasFor(wanted, wish, { ...judging, pods, metrics, isCpu: name === 'cpu' });
  const current = currentOf(found);
  const share = averageUtilization === undefined ? '' : ' utilization (percentage of request)';
  if (container === undefined)
    return {
      ...{ replicas: found.replicas, from: `${name} resource${share}` },
      status: { type: 'Resource', resource: { name, current } },
    };
  return {
    ...{ replicas: found.replicas, from: `${name} container resource${share}` },
    status: { type: 'ContainerResource', containerResource: { name, container, current } },
  };
}

function currentOf({ utilization, average }: Counted) {
  return {
    ...(utilization === undefined ? {} : { averageUtilization: utilization }),
    averageValue: canonicalQuantity(`${average}m`),
  };
}

/** The requests of pods for a resource, in thousandths. @throws Error if a container has no request */
function requestsOf(pods: readonly Pod[], name: string, container: string | undefined): ReadonlyMap<string, number> {
  return new Map(
    pods.map(({ metadata, spec }) => {
      const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
      const all = [...(spec?.containers ?? []), ...sidecars];
      const counted = container === undefined ? all : all.filter((one) => one.name === container);
      const requests = counted.map(({ name: own, resources }) => {
        const request = resources?.requests?.[name];
        if (request === undefined)
          throw new Error(`missing request for ${name} in container ${own} of Pod ${metadata.name}`);
        return milliOf(request);
      });
      return [metadata.name ?? '', requests.reduce((sum, one) => sum + one, 0)];
    }),
  );
}

async function ofPods({ metric, target }: NonNullable<MetricSpec['pods']>, judging: Judging): Promise<Proposal> {
  const { reader, namespace, selector, wanted } = judging;
  const metrics = await reader.pods(metric, namespace, selector);
  const wish = { average: milliOf(target.averageValue ?? '0') };
  const found = replicasFor(wanted, wish, { ...judging, pods: await judging.pods(), metrics, isCpu: false });
  const status: MetricStatus = { type: 'Pods', pods: { metric, current: currentOf(found) } };
  return { replicas: found.replicas, from: `pods metric ${metric.name}`, status };
}

async function ofNumber(
  read: () => Promise<number>,
  { value, averageValue }: MetricTarget,
  { wanted, there, tolerance, pods }: Judging,
  from: string,
  statusOf: (current: { value?: string; averageValue?: string }) => MetricStatus,
): Promise<Proposal> {
  const milli = await read();
  if (value !== undefined) {
    const ready = (await pods()).filter((pod) => pod.status?.phase === 'Running' && isReady(pod)).length;
    const replicas = replicasForRatio(wanted, milli / milliOf(value), ready, tolerance);
    return { replicas, from, status: statusOf({ value: canonicalQuantity(`${milli}m`) }) };
  }
  const target = milliOf(averageValue ?? '0');
  const ratio = milli / (target * there);
  const replicas = isWithin(ratio, tolerance) ? there : Math.ceil(milli / target);
  const average = there === 0 ? milli : Math.ceil(milli / there);
  return { replicas, from, status: statusOf({ averageValue: canonicalQuantity(`${average}m`) }) };
}

function wordsOf({ type, resource, containerResource, pods, object, external }: MetricSpec) {
  if (resource !== undefined || containerResource !== undefined) {
    const { name, target } = (resource ?? containerResource)!;
    const what = target.averageUtilization === undefined ? 'usage' : 'utilization';
    const failed = `failed to get ${name} ${what}`;
    return resource === undefined
      ? {
          ...{ reason: 'FailedGetContainerResourceMetric', failed },
          failure: `failed to get ${containerResource?.container} container metric value`,
        }
      : { reason: 'FailedGetResourceMetric', failed, failure: `failed to get ${name} resource metric value` };
  }
  if (external !== undefined) {
    const { name } = external.metric;
    const failed = `failed to get ${name} external metric: unable to get external metric ${name}`;
    return { reason: 'FailedGetExternalMetric', failed, failure: `failed to get ${name} external metric value` };
  }
  const name = (pods ?? object)?.metric.name ?? type;
  return pods === undefined
    ? {
        ...{ reason: 'FailedGetObjectMetric', failed: `unable to get metric ${name}` },
        failure: 'failed to get object metric value',
      }
    : {
        reason: 'FailedGetPodsMetric',
        failed: `unable to get metric ${name}`,
        failure: 'failed to get pods metric value',
      };
}
