import { coordinationV1, coreV1 } from '#client/generated/resources.ts';
import type { Node, Pod, Taint } from '#schema/generated/core.v1.ts';
import { parseQuantity, type Quantity } from '#schema/values/quantity.ts';
import type { DescribeContext, Describer } from '../describer.ts';
import { marks } from '../heading.ts';
import { byText } from '../pod/containers.ts';
import { listAll } from '../related.ts';
import { ageText, timeText } from '../times.ts';
import type { DescriptionWriter } from '../writer.ts';
import { type Amounts, addTo, amountsOf, shareText } from './resources.ts';

const UNSET = '<unset>';

/** The resources that are always shown as a share of the total. */
const SHARED = ['cpu', 'memory', 'ephemeral-storage'];

/** Describes a node. Shows its state, its resources, and its pods. */
export const describeNode: Describer = async (writer, object, context) => {
  const node = object as Node;
  const { metadata, spec = {}, status = {} } = node;
  const { name = '' } = metadata;
  writer.field(0, 'Name', name);
  writer.field(0, 'Roles', rolesOf(node, context).join(',') || '<none>');
  marks(writer, node);
  writer.field(0, 'CreationTimestamp', timeText(metadata.creationTimestamp));
  const taints = byText(spec.taints ?? [], ({ effect, key }) => `${effect},${key}`);
  writer.list(0, 'Taints', taints.map(taintText));
  writer.field(0, 'Unschedulable', spec.unschedulable ?? false);
  await describeLease(writer, name, context);
  if (status.conditions?.length) {
    writer.line(0, 'Conditions:');
    const heads = ['Type', 'Status', 'LastHeartbeatTime', 'LastTransitionTime', 'Reason', 'Message'];
    const rows = status.conditions.map((one) => [
      `${one.type} `,
      `${one.status} `,
      `${timeText(one.lastHeartbeatTime)} `,
      `${timeText(one.lastTransitionTime)} `,
      `${one.reason ?? ''} `,
      one.message ?? '',
    ]);
    writer.table(1, heads, rows);
  }
  writer.line(0, 'Addresses:');
  for (const { type, address } of status.addresses ?? []) writer.field(1, type, address);
  describeAmounts(writer, 'Capacity', status.capacity);
  describeAmounts(writer, 'Allocatable', status.allocatable);
  const info = status.nodeInfo;
  writer.line(0, 'System Info:');
  writer.fields(1, {
    'Machine ID': info?.machineID ?? '',
    'System UUID': info?.systemUUID ?? '',
    'Boot ID': info?.bootID ?? '',
    'Kernel Version': info?.kernelVersion ?? '',
    'OS Image': info?.osImage ?? '',
    'Operating System': info?.operatingSystem ?? '',
    Architecture: info?.architecture ?? '',
    'Container Runtime Version': info?.containerRuntimeVersion ?? '',
    'Kubelet Version': info?.kubeletVersion ?? '',
    'Kube-Proxy Version': info?.kubeProxyVersion ?? '',
  });
  writer.optional(0, 'PodCIDR', spec.podCIDR);
  writer.optional(0, 'PodCIDRs', (spec.podCIDRs ?? []).join(','));
  writer.optional(0, 'ProviderID', spec.providerID);
  await describePods(writer, node, context);
};

/** The roles that the labels of a node name. */
function rolesOf({ metadata }: Node, { naming }: DescribeContext): string[] {
  const prefix = naming.key('node-role/');
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(prefix)) return key.length > prefix.length ? [key.slice(prefix.length)] : [];
    return key === naming.key('role') && value !== '' ? [value] : [];
  });
  return [...new Set(roles)].sort();
}

function taintText({ key, value, effect }: Taint): string {
  return `${key}${value ? `=${value}` : ''}${effect ? `:${effect}` : ''}`;
}

async function describeLease(writer: DescriptionWriter, name: string, context: DescribeContext): Promise<void> {
  const namespace = context.naming.prefixed('node-lease');
  try {
    const { spec } = await context.client.resource(coordinationV1.leases).in(namespace).get(name);
    writer.line(0, 'Lease:');
    writer.fields(1, {
      HolderIdentity: spec?.holderIdentity ?? UNSET,
      AcquireTime: spec?.acquireTime ? timeText(spec.acquireTime) : UNSET,
      RenewTime: spec?.renewTime ? timeText(spec.renewTime) : UNSET,
    });
  } catch (error) {
    writer.field(0, 'Lease', `Failed to get lease: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function describeAmounts(
  writer: DescriptionWriter,
  title: string,
  amounts: Readonly<Record<string, string>> | null | undefined,
): void {
  const names = Object.keys(amounts ?? {}).sort();
  if (names.length > 0) writer.line(0, `${title}:`);
  for (const name of names) writer.field(1, name, amounts![name]);
}

/** Describes the pods on a node that have not ended, and their requests and limits. */
async function describePods(writer: DescriptionWriter, node: Node, context: DescribeContext): Promise<void> {
  const { metadata, status } = node;
  const given = Object.keys(status?.allocatable ?? {}).length > 0 ? status?.allocatable : status?.capacity;
  const all: Amounts = new Map(Object.entries(given ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
  const fieldSelector = `spec.nodeName=${metadata.name},status.phase!=Succeeded,status.phase!=Failed`;
  let pods: Pod[];
  try {
    pods = await listAll(context, coreV1.pods, undefined, { fieldSelector });
  } catch {
    writer.line(0, 'Pods:\tnot authorized');
    return;
  }
  writer.field(0, 'Non-terminated Pods', `(${pods.length} in total)`);
  const used = { requests: new Map<string, Quantity>(), limits: new Map<string, Quantity>() };
  const rows = pods.map((pod) => {
    const amounts = { requests: amountsOf(pod, 'requests'), limits: amountsOf(pod, 'limits') };
    for (const side of ['requests', 'limits'] as const)
      for (const [name, amount] of amounts[side]) addTo(used[side], name, amount);
    const share = (side: 'requests' | 'limits', name: string) =>
      shareText(name, amounts[side].get(name), all.get(name));
    return [
      pod.metadata.namespace ?? '',
      pod.metadata.name ?? '',
      '',
      share('requests', 'cpu'),
      share('limits', 'cpu'),
      share('requests', 'memory'),
      share('limits', 'memory'),
      ageText(pod.metadata.creationTimestamp, context.now),
    ];
  });
  const heads = ['Namespace', 'Name', '', 'CPU Requests', 'CPU Limits', 'Memory Requests', 'Memory Limits', 'Age'];
  writer.table(1, heads, rows);
  describeUse(writer, all, used);
}

function describeUse(
  writer: DescriptionWriter,
  all: Amounts,
  { requests, limits }: { readonly requests: Amounts; readonly limits: Amounts },
): void {
  const names = [...all.keys()].sort();
  const huge = names.filter((name) => name.startsWith('hugepages-'));
  const known = new Set([...SHARED, ...huge, 'pods', 'storage']);
  const others = names.filter((name) => !known.has(name));
  writer.line(0, 'Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)');
  writer.table(
    1,
    ['Resource', 'Requests', 'Limits'],
    [
      ...[...SHARED, ...huge].map((name) => [
        name,
        shareText(name, requests.get(name), all.get(name)),
        shareText(name, limits.get(name), all.get(name)),
      ]),
      ...others.map((name) => [name, String(requests.get(name) ?? 0), String(limits.get(name) ?? 0)]),
    ],
  );
}
