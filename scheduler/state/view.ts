import type { PersistentVolume, PersistentVolumeClaim, Pod } from '#schema/generated/core.v1.ts';
import type { LabelSelector } from '#schema/generated/meta.v1.ts';
import type { StorageClass } from '#schema/generated/storage.v1.ts';
import type { NodeInfo } from './node-info.ts';

/** The data for decisions: the nodes with their pods, and other parts of the cluster. */
export interface View {
  readonly nodes: ReadonlyMap<string, NodeInfo>;
  /** Labels of a namespace; undefined if it does not exist. */
  namespaceLabels(name: string): Readonly<Record<string, string>> | undefined;
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumes(): Iterable<PersistentVolume>;
  storageClass(name: string): StorageClass | undefined;
  /** How many volumes each driver can attach to a node; undefined if the node does not report it. */
  volumeLimits(node: string): ReadonlyMap<string, number> | undefined;
  /** The number of pods on nodes that mount a claim. */
  usersOfClaim(key: string): number;
  /** Selectors of the services, replica sets and others that a pod belongs to. */
  selectorsFor(pod: Pod): readonly LabelSelector[];
  /** The full key for a short one, in the words of the cluster. */
  key(short: string): string;
}

/** The same view with one node replaced, to test a change. */
export function viewWith(view: View, node: NodeInfo): View {
  const nodes = new Map(view.nodes);
  nodes.set(node.name, node);
  return Object.assign(Object.create(view) as View, { nodes });
}
