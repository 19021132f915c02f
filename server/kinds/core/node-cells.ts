import type { Naming } from '#base/naming/naming.ts';
import type { Node } from '#schema/generated/core.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import type { Cell } from '../../api/resource-definition.ts';

function statusOf(node: Node): string {
  const ready = (node.status?.conditions ?? []).find(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return node.spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

/** Roles are labels: `node-role/NAME` with any value, or `role` whose value is the name. */
function rolesOf(node: Node, naming: Naming): string {
  const prefix = naming.key('node-role/');
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(prefix) && key.length > prefix.length) roles.add(key.slice(prefix.length));
    else if (key === naming.key('role') && value !== '') roles.add(value);
  }
  return roles.size === 0 ? '<none>' : [...roles].sort().join(',');
}

/** The row of a node: its state, roles and version; wide also its addresses and software. */
export function nodeCells(node: Node, { naming, now }: { naming: Naming; now: number }): Cell[] {
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
    info?.kernelVersion || '<unknown>',
    info?.containerRuntimeVersion || '<unknown>',
  ];
}
