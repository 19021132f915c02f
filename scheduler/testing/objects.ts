import { createNaming } from '#base/naming/create-naming.ts';
import type {
  Container,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  Taint,
} from '#schema/generated/core.v1.ts';
import type { LabelSelector } from '#schema/generated/meta.v1.ts';
import type { StorageClass } from '#schema/generated/storage.v1.ts';
import type { Check, Filter } from '../filters/filter.ts';
import type { Score } from '../scores/score.ts';
import { ClusterState } from '../state/cluster-state.ts';
import { type PodInfo, podInfo } from '../state/pod-info.ts';
import type { View } from '../state/view.ts';

const naming = createNaming('orch');

export interface NodeWish {
  readonly labels?: Record<string, string>;
  readonly taints?: Taint[];
  readonly unschedulable?: boolean;
  readonly allocatable?: Record<string, string>;
  readonly images?: { names: string[]; sizeBytes: number }[];
}

export function makeNode(name: string, wish: NodeWish = {}): Node {
  const { labels = {}, taints = [], unschedulable = false, images = [] } = wish;
  const allocatable = { cpu: '4', memory: '8Gi', pods: '10', ...wish.allocatable };
  const own = { [naming.key('hostname')]: name, ...labels };
  return { metadata: { name, labels: own }, spec: { taints, unschedulable }, status: { allocatable, images } };
}

export interface PodWish {
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly node?: string;
  readonly requests?: Record<string, string>;
  readonly ports?: Container['ports'];
  readonly spec?: Partial<PodSpec>;
  readonly status?: Pod['status'];
  readonly deleted?: true;
}

export function makePod(name: string, wish: PodWish = {}): Pod {
  const { namespace = 'default', labels = {}, node, requests = {}, ports, spec = {}, status = {}, deleted } = wish;
  const container: Container = { name: 'c', image: 'image', resources: { requests } };
  return {
    metadata: {
      ...{ name, namespace, uid: `uid-${name}`, labels },
      ...(deleted === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      schedulerName: 'default-scheduler',
      containers: [ports === undefined ? container : { ...container, ports }],
      ...(node === undefined ? {} : { nodeName: node }),
      ...spec,
    },
    status,
  };
}

export interface ViewWish {
  readonly namespaces?: Readonly<Record<string, Record<string, string>>>;
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
  /** How many volumes the drivers can attach, by node and driver. */
  readonly limits?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly selectors?: readonly LabelSelector[];
}

/** A view of these nodes and the pods that are on them. */
export function makeView(nodes: readonly Node[], pods: readonly Pod[] = [], wish: ViewWish = {}): View {
  const { namespaces = { default: {} }, claims = [], volumes = [], classes = [], limits = {}, selectors = [] } = wish;
  const state = new ClusterState();
  for (const node of nodes) state.putNode(node);
  for (const pod of pods) state.putPod(pod);
  return {
    nodes: state.nodes,
    namespaceLabels: (name) => (Object.hasOwn(namespaces, name) ? namespaces[name] : undefined),
    claim: (key) => claims.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key),
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    volumes: () => volumes,
    storageClass: (name) => classes.find(({ metadata }) => metadata.name === name),
    volumeLimits: (node) => (Object.hasOwn(limits, node) ? new Map(Object.entries(limits[node]!)) : undefined),
    usersOfClaim: (key) => state.usersOfClaim(key),
    selectorsFor: () => selectors,
    key: (short) => naming.key(short),
  };
}

/**
 * The answer of a filter for each node: the reasons, with the prefix `final: ` if the removal of pods would not help;
 * '' if the pod fits.
 */
export function answers(filter: Filter, pod: Pod, view: View): Record<string, string> | string {
  const check: Check | { blocked: string } | undefined = filter.prepare(podInfo(pod), view);
  if (check !== undefined && 'blocked' in check) return check.blocked;
  return Object.fromEntries(
    [...view.nodes.values()].map((node) => {
      const refusal = check?.(node);
      const text = refusal === undefined ? '' : refusal.reasons.join(', ');
      return [node.name, refusal?.isFinal === true ? `final: ${text}` : text];
    }),
  );
}

/** The number that a score gives each node; undefined if all nodes are equal. */
export function numbers(score: Score, pod: Pod, view: View): Record<string, number> | undefined {
  const nodes = [...view.nodes.values()];
  const comparison = score.prepare(podInfo(pod), view, nodes);
  if (comparison === undefined) return undefined;
  const raw = nodes.map(comparison.of);
  const levelled = comparison.level?.(raw, nodes) ?? raw;
  return Object.fromEntries(nodes.map(({ name }, i) => [name, levelled[i]!]));
}

export function infoOf(pod: Pod): PodInfo {
  return podInfo(pod);
}

export const label = (short: string): string => naming.key(short);
