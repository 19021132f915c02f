import { isNotFound } from '#client/errors.ts';
import { appsV1, coreV1 } from '#client/generated/resources.ts';
import { groupOf, type ResourceType } from '#client/resource-type.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Term } from '../controller.ts';

type Workload = ApiObject & { readonly spec?: { readonly replicas?: number } };

/** The kinds whose `spec.replicas` is the wanted number of pods. */
export const WORKLOADS = [
  appsV1.deployments,
  appsV1.replicasets,
  appsV1.statefulsets,
  coreV1.replicationcontrollers,
] as readonly ResourceType[] as readonly ResourceType<Workload>[];

interface Controlled {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** The wanted number of pods, or the reason why it is unknown. */
export type Expected = { readonly count: number } | { readonly unknown: string };

/**
 * The sum of the replicas that the controllers of these pods want. Each controller counts once, and a deployment counts
 * instead of its replica sets. Pods without a controller do not count.
 */
export async function expectedPods(
  pods: readonly Pod[],
  term: Pick<Term, 'informer' | 'naming' | 'discovery' | 'client'>,
): Promise<Expected> {
  const seen = new Set<string>();
  const wanted = new Map<string, number>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined || seen.has(owner.uid)) continue;
    seen.add(owner.uid);
    const found = await wantedBy(owner, pod.metadata.namespace!, term);
    if (found === undefined) return { unknown: `found no controllers for pod ${JSON.stringify(pod.metadata.name)}` };
    if ('unknown' in found) return found;
    wanted.set(found.uid, found.count);
  }
  return { count: [...wanted.values()].reduce((sum, count) => sum + count, 0) };
}

interface Wanted {
  readonly uid: string;
  readonly count: number;
}

async function wantedBy(
  owner: Controlled,
  namespace: string,
  term: Pick<Term, 'informer' | 'naming' | 'discovery' | 'client'>,
): Promise<Wanted | { readonly unknown: string } | undefined> {
  const { informer, naming, discovery, client } = term;
  const group = owner.apiVersion.includes('/') ? owner.apiVersion.split('/')[0]! : '';
  const own = WORKLOADS.find((type) => type.kind === owner.kind && groupOf(type, naming) === group);
  if (own !== undefined) {
    const found = informer(own).get(`${namespace}/${owner.name}`);
    if (found === undefined || found.metadata.uid !== owner.uid) return undefined;
    const above = own.kind === appsV1.replicasets.kind ? controllerOf(found) : undefined;
    if (above?.kind === appsV1.deployments.kind) return wantedBy(above, namespace, term);
    return { uid: owner.uid, count: found.spec?.replicas ?? 1 };
  }
  const type = (await discovery.get()).ofKind(owner.apiVersion, owner.kind);
  if (type === undefined)
    return {
      unknown: `no matches for kind ${JSON.stringify(owner.kind)} in version ${JSON.stringify(owner.apiVersion)}`,
    };
  if (!type.subresources.includes('scale')) {
    const resource = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
    return { unknown: `${resource} does not implement the scale subresource` };
  }
  try {
    const scaled = client.resource(type as ResourceType<Workload>).in(type.namespaced ? namespace : undefined);
    const scale = await scaled.get(owner.name, { subresource: 'scale' });
    return scale.metadata.uid === owner.uid ? { uid: owner.uid, count: scale.spec?.replicas ?? 0 } : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function controllerOf({ metadata }: ApiObject): Controlled | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
