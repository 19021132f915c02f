import { table } from '#base/collections/own-properties.ts';
import { notFound, type StatusError } from '#base/errors/status-error.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { TokenRequest } from '#schema/generated/authentication.v1.ts';
import type { Node, PersistentVolumeClaim, Pod } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { changedLabels, forbiddenNodeLabels } from '../node-labels.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import { podOf } from '../pod-of.ts';
import { podReferences } from '../pod-references.ts';
import { refusal } from '../refusal.ts';

const PREFIX = 'system:node:';
const GROUP = 'system:nodes';

const quote = JSON.stringify;

/** The node that makes a request; undefined if the user is not a node. */
function nodeOf({ context }: AdmissionRequest): string | undefined {
  const { user } = context;
  if (user === undefined || !user.name.startsWith(PREFIX) || !user.groups.includes(GROUP)) return undefined;
  return user.name.slice(PREFIX.length);
}

/** Restricts the agent of a node to its own node and to the pods on this node. */
export function nodeRestriction({ naming, cluster }: PluginEnvironment): AdmissionPlugin {
  const mirror = naming.key('config.mirror');
  const leaseNamespace = naming.prefixed('node-lease');
  const forbiddenLabels = forbiddenNodeLabels(naming);

  async function existing(request: AdmissionRequest, name: string): Promise<Pod> {
    const found = await cluster.find<Pod>('', 'pods', `${request.namespace}/${name}`);
    if (found === undefined) throw notFound({ group: '', resource: 'pod' }, name);
    return found;
  }

  async function checkOwner(node: string, { metadata }: Pod): Promise<string | undefined> {
    const owners = metadata.ownerReferences ?? [];
    if (owners.length > 1)
      return `node ${quote(node)} can only create pods with a single owner reference set to itself`;
    const [owner] = owners;
    if (owner === undefined || owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) {
      return `node ${quote(node)} can only create pods with an owner reference set to itself`;
    }
    if (owner.controller !== true) {
      return `node ${quote(node)} can only create pods with a controller owner reference set to itself`;
    }
    if (owner.blockOwnerDeletion === true) {
      return `node ${quote(node)} must not set blockOwnerDeletion on an owner reference`;
    }
    const object = await cluster.find<Node>('', 'nodes', node);
    if (object === undefined) throw notFound({ group: '', resource: 'node' }, node);
    const { uid } = object.metadata;
    return uid === owner.uid ? undefined : `node ${quote(node)} UID mismatch: expected ${uid} got ${owner.uid}`;
  }

  async function newPodProblem(node: string, request: AdmissionRequest): Promise<string | undefined> {
    const pod = podOf(request);
    if (pod.metadata.annotations?.[mirror] === undefined) {
      return `pod does not have ${quote(mirror)} annotation, node ${quote(node)} can only create mirror pods`;
    }
    if (pod.spec.nodeName !== node) return `node ${quote(node)} can only create pods with spec.nodeName set to itself`;
    const problem = await checkOwner(node, pod);
    if (problem !== undefined) return problem;
    const { secrets, configMaps, claims } = podReferences(pod.spec);
    const referred = [
      ['a service account', (pod.spec.serviceAccountName ?? '') !== ''],
      ['secrets', secrets.length > 0],
      ['configmaps', configMaps.length > 0],
      ['persistentvolumeclaims', claims.length > 0],
    ] as const;
    const found = referred.find(([, there]) => there);
    return found === undefined ? undefined : `node ${quote(node)} can not create pods that reference ${found[0]}`;
  }

  async function podProblem(node: string, request: AdmissionRequest): Promise<string | undefined> {
    const { operation, subresource, name, oldObject } = request;
    const elsewhere = (pod: Pod | undefined) => pod?.spec?.nodeName !== node;
    if (subresource === 'status' && operation === 'UPDATE') {
      if (elsewhere(oldObject as Pod)) {
        return `node ${quote(node)} can only update pod status for pods with spec.nodeName set to itself`;
      }
      const [labels, before] = [request.object?.metadata.labels ?? {}, oldObject?.metadata.labels ?? {}];
      return jsonEqual(labels, before) ? undefined : `node ${quote(node)} cannot update labels through pod status`;
    }
    if (subresource === 'eviction' && operation === 'CREATE') {
      const target = name === '' ? (request.object?.metadata.name ?? '') : name;
      if (target === '') return 'could not determine pod from request data';
      return elsewhere(await existing(request, target))
        ? `node ${node} can only evict pods with spec.nodeName set to itself`
        : undefined;
    }
    if (subresource !== '') {
      return `unexpected pod subresource ${quote(subresource)}, only 'status' and 'eviction' are allowed`;
    }
    if (operation === 'CREATE') return newPodProblem(node, request);
    if (operation !== 'DELETE') {
      return `unexpected operation ${quote(operation)}, node ${quote(node)} can only create and delete mirror pods`;
    }
    return elsewhere(oldObject as Pod | undefined)
      ? `node ${quote(node)} can only delete pods with spec.nodeName set to itself`
      : undefined;
  }

  function nodeProblem(node: string, { operation, name, object, oldObject }: AdmissionRequest): string | undefined {
    if (name !== node) return `node ${quote(node)} is not allowed to modify node ${quote(name)}`;
    const { metadata, spec } = (object ?? { metadata: {} }) as Node;
    if (operation === 'CREATE') {
      if (spec?.configSource !== undefined) {
        return `node ${quote(node)} is not allowed to create pods with a non-nil configSource`;
      }
      const forbidden = forbiddenLabels(changedLabels(metadata.labels, undefined));
      if (forbidden.length === 0) return undefined;
      return `node ${quote(node)} is not allowed to set the following labels: ${forbidden.join(', ')}`;
    }
    if (operation !== 'UPDATE') return undefined;
    const old = oldObject as Node;
    if (spec?.configSource !== undefined && !jsonEqual(spec.configSource, old.spec?.configSource)) {
      return `node ${quote(node)} is not allowed to update configSource to a new non-nil configSource`;
    }
    if (!jsonEqual(spec?.taints ?? [], old.spec?.taints ?? [])) {
      return `node ${quote(node)} is not allowed to modify taints`;
    }
    const forbidden = forbiddenLabels(changedLabels(metadata.labels, old.metadata.labels));
    return forbidden.length === 0 ? undefined : `is not allowed to modify labels: ${forbidden.join(', ')}`;
  }

  function claimProblem(node: string, { operation, subresource, object, oldObject }: AdmissionRequest) {
    if (subresource !== 'status') return 'may only update PVC status';
    if (operation !== 'UPDATE') return `unexpected operation ${quote(operation)}`;
    const rest = ({ metadata, spec, status }: PersistentVolumeClaim) => {
      const { managedFields: _managed, resourceVersion: _version, ...kept } = metadata;
      const { capacity: _capacity, conditions: _conditions, ...fixed } = status ?? {};
      const { allocatedResources: _allocated, resizeStatus: _resize, ...others } = fixed;
      return { metadata: kept, spec, status: others };
    };
    const same = jsonEqual(rest(object as PersistentVolumeClaim), rest(oldObject as PersistentVolumeClaim));
    if (same) return undefined;
    return `node ${quote(node)} is not allowed to update fields other than status.capacity and status.conditions`;
  }

  async function tokenProblem(node: string, request: AdmissionRequest): Promise<string | undefined> {
    if (request.operation !== 'CREATE' || request.subresource !== 'token') return undefined;
    const reference = (request.object as unknown as TokenRequest).spec?.boundObjectRef;
    const { apiVersion, kind, name = '', uid = '' } = reference ?? {};
    if (apiVersion !== 'v1' || kind !== 'Pod' || name === '') return 'node requested token not bound to a pod';
    if (uid === '') return 'node requested token with a pod binding without a uid';
    const pod = await existing(request, name);
    if (pod.metadata.uid !== uid) {
      return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    }
    return pod.spec?.nodeName === node
      ? undefined
      : 'node requested token bound to a pod scheduled on a different node';
  }

  /** The name in the path. For a create it is the name in the object, or '' if the server generates it later. */
  const nameOf = ({ operation, name, object }: AdmissionRequest): string =>
    operation === 'CREATE' ? ((object as ApiObject).metadata.name ?? '') : name;

  function leaseProblem(node: string, request: AdmissionRequest): string | undefined {
    if (request.namespace !== leaseNamespace) {
      return `can only access leases in the ${quote(leaseNamespace)} system namespace`;
    }
    return nameOf(request) === node
      ? undefined
      : 'can only access node lease with the same name as the requesting node';
  }

  function storageNodeProblem(node: string, request: AdmissionRequest): string | undefined {
    return nameOf(request) === node ? undefined : 'can only access CSINode with the same name as the requesting node';
  }

  type Problem = (node: string, request: AdmissionRequest) => Promise<string | undefined> | string | undefined;
  const problems: Readonly<Record<string, Problem>> = table({
    '/pods': podProblem,
    '/nodes': nodeProblem,
    '/persistentvolumeclaims': claimProblem,
    '/serviceaccounts': tokenProblem,
    'coordination/leases': leaseProblem,
    'storage/csinodes': storageNodeProblem,
  });

  async function check(node: string, request: AdmissionRequest): Promise<void> {
    const { group, plural } = request.served.type;
    const problem: string | undefined | StatusError = await problems[`${group}/${plural}`]!(node, request);
    if (problem !== undefined) throw refusal(request, problem);
  }

  return {
    name: 'NodeRestriction',
    handles: ({ operation, group, resource }) =>
      operation !== 'CONNECT' && Object.hasOwn(problems, `${group}/${resource}`),
    mutate(request) {
      const node = nodeOf(request);
      if (node === undefined) return undefined;
      if (node !== '') return check(node, request);
      throw refusal(request, `could not determine node from user ${quote(request.context.user!.name)}`);
    },
  };
}
