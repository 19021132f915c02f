import { appsV1, coreV1, policyV1, storageV1 } from '#client/generated/resources.ts';
import { byNamespace, type Informer, keyOf } from '#client/informer/informer.ts';
import { hasLabels } from '#client/label-selector.ts';
import { need, type Term } from '#controllers/controller.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { LabelSelector } from '#schema/generated/meta.v1.ts';
import type { CSINode } from '#schema/generated/storage.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { ClusterState } from './state/cluster-state.ts';
import { POD_FIELDS } from './state/pod-info.ts';
import type { View } from './state/view.ts';

/** The collections that decisions use. */
export const needs = [
  need(coreV1.pods, { fields: POD_FIELDS }),
  need(coreV1.nodes, {
    fields: ['spec.taints', 'spec.unschedulable', 'status.allocatable', 'status.images'],
  }),
  need(coreV1.namespaces),
  need(coreV1.persistentvolumes, { fields: '*' }),
  need(coreV1.persistentvolumeclaims, { fields: '*' }),
  need(storageV1.storageclasses, { fields: '*' }),
  need(storageV1.csinodes, { fields: ['spec.drivers.name', 'spec.drivers.allocatable'] }),
  need(policyV1.poddisruptionbudgets, {
    fields: ['spec.selector', 'status.disruptionsAllowed', 'status.disruptedPods'],
  }),
  need(coreV1.services, { fields: ['spec.selector'] }),
  need(coreV1.replicationcontrollers, { fields: ['spec.selector'] }),
  need(appsV1.replicasets, { fields: ['spec.selector'] }),
  need(appsV1.statefulsets, { fields: ['spec.selector'] }),
];

/** The data for decisions, from the copies and the state of the nodes. */
export function clusterView({ naming, informer }: Pick<Term, 'naming' | 'informer'>, state: ClusterState): View {
  const namespaces = informer(coreV1.namespaces);
  const claims = informer(coreV1.persistentvolumeclaims);
  const volumes = informer(coreV1.persistentvolumes);
  const classes = informer(storageV1.storageclasses);
  const csiNodes = informer(storageV1.csinodes);
  const selectorsFor = selectorFinder(informer);
  return {
    nodes: state.nodes,
    namespaceLabels: (name) => {
      const namespace = namespaces.get(name);
      return namespace === undefined ? undefined : (namespace.metadata.labels ?? {});
    },
    claim: (key) => claims.get(key),
    volume: (name) => volumes.get(name),
    volumes: () => volumes.all(),
    storageClass: (name) => classes.get(name),
    volumeLimits: (node) => limitsOf(csiNodes.get(node)),
    usersOfClaim: (key) => state.usersOfClaim(key),
    selectorsFor,
    key: (short) => naming.key(short),
  };
}

function limitsOf(node: CSINode | undefined): ReadonlyMap<string, number> | undefined {
  const limits = (node?.spec.drivers ?? []).flatMap(({ name, allocatable }): [string, number][] =>
    allocatable?.count === undefined || allocatable.count === null ? [] : [[name, allocatable.count]],
  );
  return limits.length === 0 ? undefined : new Map(limits);
}

type Selecting = ApiObject & { readonly spec?: { readonly selector?: LabelSelector } };

function selectorFinder(informer: Term['informer']): (pod: Pod) => readonly LabelSelector[] {
  const services = informer(coreV1.services);
  const counters = informer(coreV1.replicationcontrollers);
  const sets = new Map<string, Informer<Selecting>>([
    ['ReplicaSet', informer(appsV1.replicasets) as unknown as Informer<Selecting>],
    ['StatefulSet', informer(appsV1.statefulsets) as unknown as Informer<Selecting>],
  ]);
  return ({ metadata }) => {
    const { namespace = '', labels = {}, ownerReferences = [] } = metadata;
    const found: LabelSelector[] = [];
    for (const { spec } of services.find(byNamespace, namespace)) {
      const selector = spec?.selector ?? {};
      if (Object.keys(selector).length > 0 && hasLabels(selector, labels)) found.push({ matchLabels: selector });
    }
    const owner = ownerReferences.find(({ controller }) => controller === true);
    if (owner === undefined) return found;
    const key = keyOf({ metadata: { namespace, name: owner.name } });
    const selector = sets.get(owner.kind)?.get(key)?.spec?.selector;
    if (selector !== undefined) found.push(selector);
    const counter = owner.kind === 'ReplicationController' ? counters.get(key)?.spec?.selector : undefined;
    if (counter !== undefined) found.push({ matchLabels: counter });
    return found;
  };
}
