import type { Pod } from '#schema/generated/core.v1.ts';
import { parseQuantity } from '#schema/values/quantity.ts';

/** The usage of a pod's containers: the requested amount, or a little if nothing is requested. */
const LITTLE = { cpu: '1m', memory: '16Mi' } as const;

/** The usage of one container: cores, and bytes. */
interface Usage {
  readonly container: string;
  readonly cores: number;
  readonly bytes: number;
}

/** What the containers of a pod that run use, as far as a simulation can say. */
function usageOf({ spec, status }: Pod): readonly Usage[] {
  return (spec?.containers ?? []).flatMap(({ name, resources }) => {
    const running = status?.containerStatuses?.find((one) => one.name === name)?.state?.running;
    if (running === undefined) return [];
    const amount = (resource: 'cpu' | 'memory') =>
      Number(parseQuantity(resources?.requests?.[resource] ?? LITTLE[resource]).nanos) / 1e9;
    return [{ container: name, cores: amount('cpu'), bytes: amount('memory') }];
  });
}

/** The usage of all pods of a node as metrics: counters of seconds, as if all had run evenly. */
export function resourceMetrics(pods: readonly Pod[], now: number): string {
  const lines = {
    cpu: ['# TYPE container_cpu_usage_seconds_total counter'],
    memory: ['# TYPE container_memory_working_set_bytes gauge'],
  };
  const node = { cores: 0, bytes: 0 };
  for (const pod of pods)
    for (const { container, cores, bytes } of usageOf(pod)) {
      const { name, namespace } = pod.metadata;
      const labels = `{container="${container}",namespace="${namespace}",pod="${name}"}`;
      const seconds = (now - (Date.parse(pod.status?.startTime ?? '') || now)) / 1000;
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

/** The same as the summary that older clients ask for. */
export function summary(nodeName: string, pods: readonly Pod[], now: number): object {
  const time = new Date(now).toISOString();
  const nano = (cores: number) => Math.round(cores * 1e9);
  const all = pods.map((pod) => ({ pod, usage: usageOf(pod) }));
  const total = (usage: readonly Usage[], field: 'cores' | 'bytes') => usage.reduce((sum, one) => sum + one[field], 0);
  const part = (usage: readonly Usage[]) => ({
    cpu: { time, usageNanoCores: nano(total(usage, 'cores')) },
    memory: { time, workingSetBytes: total(usage, 'bytes') },
  });
  return {
    node: { nodeName, ...part(all.flatMap(({ usage }) => usage)) },
    pods: all.map(({ pod, usage }) => ({
      podRef: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
      ...part(usage),
      containers: usage.map((one) => ({ name: one.container, ...part([one]) })),
    })),
  };
}
