import type { Naming } from '#base/naming/naming.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { parseQuantity } from '#schema/values/quantity.ts';
import { Wishes } from '../life/wishes.ts';

/** The usage of a container that has neither a wish for its usage nor requests. */
const LITTLE = { cpu: '1m', memory: '16Mi' } as const;

/** A pod on a simulated node, and the wishes that stages have for it. */
export interface UsedPod {
  readonly pod: Pod;
  readonly wishes?: ReadonlyMap<string, string> | undefined;
}

/** The usage of one container: cores, and bytes. */
export interface Usage {
  readonly container: string;
  readonly cores: number;
  readonly bytes: number;
}

/** The simulated usage of the running containers of a pod. */
export function usageOf({ pod, wishes }: UsedPod, naming: Pick<Naming, 'key'>): readonly Usage[] {
  const { spec, status } = pod;
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].flatMap(({ name, resources }) => {
    if (statuses.find((one) => one.name === name)?.state?.running === undefined) return [];
    const wished = new Wishes(pod, name, naming, wishes);
    const amount = (resource: 'cpu' | 'memory') =>
      wished.amount(resource) ?? amountOf(resources?.requests?.[resource] ?? LITTLE[resource]);
    return [{ container: name, cores: amount('cpu'), bytes: amount('memory') }];
  });
}

function amountOf(text: string): number {
  return Number(parseQuantity(text).nanos) / 1e9;
}

/** The total usage of several containers. */
export function sumOf(usage: readonly Usage[]): Omit<Usage, 'container'> {
  return usage.reduce((sum, one) => ({ cores: sum.cores + one.cores, bytes: sum.bytes + one.bytes }), {
    cores: 0,
    bytes: 0,
  });
}

/** The usage of all pods of a node as metrics: counters of seconds, as if every pod had used a constant amount. */
export function resourceMetrics(pods: readonly UsedPod[], now: number, naming: Pick<Naming, 'key'>): string {
  const lines = {
    cpu: ['# TYPE container_cpu_usage_seconds_total counter'],
    memory: ['# TYPE container_memory_working_set_bytes gauge'],
  };
  const node = { cores: 0, bytes: 0 };
  for (const used of pods)
    for (const { container, cores, bytes } of usageOf(used, naming)) {
      const { metadata, status } = used.pod;
      const labels = `{container="${container}",namespace="${metadata.namespace}",pod="${metadata.name}"}`;
      const seconds = (now - (Date.parse(status?.startTime ?? '') || now)) / 1000;
      lines.cpu.push(`container_cpu_usage_seconds_total${labels} ${cores * seconds} ${now}`);
      lines.memory.push(`container_memory_working_set_bytes${labels} ${bytes} ${now}`);
      node.cores += cores * seconds;
      node.bytes += bytes;
    }
  return [
    ...lines.cpu,
    ...lines.memory,
    '# TYPE node_cpu_usage_seconds_total counter',
    `node_cpu_usage_seconds_total ${node.cores} ${now}`,
    '# TYPE node_memory_working_set_bytes gauge',
    `node_memory_working_set_bytes ${node.bytes} ${now}`,
    '',
  ].join('\n');
}

/** The usage of the same pods in the form of the summary that older clients read. */
export function summary(nodeName: string, pods: readonly UsedPod[], now: number, naming: Pick<Naming, 'key'>): object {
  const time = new Date(now).toISOString();
  const all = pods.map((used) => ({ metadata: used.pod.metadata, usage: usageOf(used, naming) }));
  const part = (usage: readonly Usage[]) => {
    const { cores, bytes } = sumOf(usage);
    return { cpu: { time, usageNanoCores: Math.round(cores * 1e9) }, memory: { time, workingSetBytes: bytes } };
  };
  return {
    node: { nodeName, ...part(all.flatMap(({ usage }) => usage)) },
    pods: all.map(({ metadata, usage }) => ({
      podRef: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
      ...part(usage),
      containers: usage.map((one) => ({ name: one.container, ...part([one]) })),
    })),
  };
}
