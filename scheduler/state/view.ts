import type { PersistentVolume, PersistentVolumeClaim, Pod } from '#schema/generated/core.v1.ts';
import type { LabelSelector } from '#schema/generated/meta.v1.ts';
import type { StorageClass } from '#schema/generated/storage.v1.ts';
import type { NodeInfo } from './node-info.ts';

/** What decisions are made on: the nodes with their pods, and what else of the cluster is asked for. */
export interface View {
  readonly nodes: ReadonlyMap<string, NodeInfo>;
  /** Labels of a namespace; undefined where there is none. */
  namespaceLabels(name: string): Readonly<Record<string, string>> | undefined;
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumes(): Iterable<PersistentVolume>;
  storageClass(name: string): StorageClass | undefined;
  /** How many volumes each driver can attach to a node, where it says so. */
  volumeLimits(node: string): ReadonlyMap<string, number> | undefined;
  /** How many pods on nodes mount a claim. */
  usersOfClaim(key: string): number;
  /** Selectors of the services, replica sets and others that a pod belongs to. */
  selectorsFor(pod: Pod): readonly LabelSelector[];
  /** A key in the words of the cluster. */
  key(short: string): string;
}

/** The same view with one node replaced: for asking what would be. */
export function viewWith(view: View, node: NodeInfo): View {
  const nodes = new Map(view.nodes);
  nodes.set(node.name, node);
  return Object.assign(Object.create(view) as View, { nodes });
}
