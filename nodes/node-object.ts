import type { Naming } from '#base/naming/naming.ts';
import type { Node, NodeCondition, NodeStatus } from '#schema/generated/core.v1.ts';
import { timeText } from './life/times.ts';
import { ipText, type NodePlan, POD_IPS } from './node-plan.ts';

/** The container runtime that a simulated node reports: there is no real one. */
const RUNTIME = 'simulated://1.0';

/** The object that a node registers. */
export function nodeObject(plan: NodePlan, now: number, naming: Pick<Naming, 'key'>): Node {
  const { name, labels, firstPodIp } = plan;
  const podCIDR = `${ipText(firstPodIp)}/${32 - Math.log2(POD_IPS)}`;
  return {
    metadata: {
      name,
      labels: { ...labels },
      annotations: { [naming.key('simulated-node')]: 'runs nothing: for development and tests only' },
    },
    spec: { podCIDR, podCIDRs: [podCIDR], providerID: `simulated://${name}` },
    status: nodeStatus(plan, undefined, now, true),
  };
}

/** The status that a node reports. A condition that does not change keeps the time of its last change. */
export function nodeStatus(plan: NodePlan, before: Node | undefined, now: number, isReady: boolean): NodeStatus {
  const { name, capacity, ip, port, version } = plan;
  const condition = (type: string, status: boolean, reason: string, message: string): NodeCondition => {
    const old = before?.status?.conditions?.find((one) => one.type === type);
    const text = status ? 'True' : 'False';
    const lastTransitionTime = old?.status === text ? (old.lastTransitionTime ?? timeText(now)) : timeText(now);
    return { type, status: text, lastHeartbeatTime: timeText(now), lastTransitionTime, reason, message };
  };
  return {
    capacity: { ...capacity },
    allocatable: { ...addedResources(plan, before), ...capacity },
    conditions: [
      condition('MemoryPressure', false, 'SimulatedNode', 'the simulated node has enough memory'),
      condition('DiskPressure', false, 'SimulatedNode', 'the simulated node has enough space'),
      condition('PIDPressure', false, 'SimulatedNode', 'the simulated node has enough process numbers'),
      isReady
        ? condition('Ready', true, 'SimulatedNode', 'the simulated node is ready, and runs nothing')
        : condition('Ready', false, 'SimulatedNode', 'an annotation says that the simulated node is not ready'),
    ],
    // It has no host name, because the name of a simulated node cannot be resolved.
    addresses: [{ type: 'InternalIP', address: ip }],
    ...(port === 0 ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: port } } }),
    nodeInfo: {
      ...{ machineID: name, systemUUID: name, bootID: name, kernelVersion: 'simulated', osImage: 'simulated' },
      ...{ containerRuntimeVersion: RUNTIME, kubeletVersion: version, kubeProxyVersion: version },
      ...{ operatingSystem: 'linux', architecture: 'amd64' },
    },
  };
}

/** Resources that other clients have added to the capacity of a node. Pods may use all of them. */
export function addedResources(
  { capacity }: Pick<NodePlan, 'capacity'>,
  node: Node | undefined,
): Record<string, string> {
  const all = Object.entries(node?.status?.capacity ?? {});
  return Object.fromEntries(all.filter(([name]) => !Object.hasOwn(capacity, name)));
}
