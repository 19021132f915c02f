import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import type { Node, NodeSystemInfo } from '#schema/generated/core.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import type { Cell, TableContext } from '../../api/resource-definition.ts';

function statusOf(node: Node): string {
  const ready = (node.status?.conditions ?? []).find(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return node.spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

/**
 * The roles of a node. They come from labels: `node-role/NAME` with any value, or `role` with the name as its value.
 */
function rolesOf(node: Node, naming: Naming): string {
  const prefix = naming.key('node-role/');
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(prefix) && key.length > prefix.length) roles.add(key.slice(prefix.length));
    else if (key === naming.key('role') && value !== '') roles.add(value);
  }
  return roles.size === 0 ? '<none>' : [...roles].sort().join(',');
}

/** The kernel. Since 1.36 the text also has the type of processor. */
function kernelText(info: NodeSystemInfo | undefined, release: Release): string {
  const kernel = info?.kernelVersion || '<unknown>';
  return release.atLeast(36) && info?.architecture ? `${kernel} (${info.architecture})` : kernel;
}

/** The row of a node: its state, roles and version. The wide row also has its addresses and software. */
export function nodeCells(node: Node, { naming, release, now }: TableContext): Cell[] {
  const address = (wanted: string) =>
    (node.status?.addresses ?? []).find(({ type }) => type === wanted)?.address ?? '<none>';
  const info = node.status?.nodeInfo;
  return [
    node.metadata.name ?? '',
    statusOf(node),
    rolesOf(node, naming),
    age(node.metadata.creationTimestamp, now),
    info?.kubeletVersion ?? '',
    address('InternalIP'),
    address('ExternalIP'),
    info?.osImage || '<unknown>',
    kernelText(info, release),
    info?.containerRuntimeVersion || '<unknown>',
  ];
}
