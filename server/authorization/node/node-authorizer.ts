import type { Naming } from '#base/naming/naming.ts';
import type { PolicyRule } from '#schema/generated/rbac.authorization.v1.ts';
import type { Attributes } from '../../api/attributes.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { type Authorizer, type Decision, NO_OPINION } from '../authorizer.ts';
import { ruleAllows } from '../rbac/rule-matching.ts';
import { readFields } from '../selector-attributes.ts';
import type { NodeGraph, Reachable } from './node-graph.ts';

const USER_PREFIX = 'system:node:';
const GROUP = 'system:nodes';

const ALLOWED: Decision = { verdict: 'allow', reason: '' };

/** The node of a user. Such a user is in the group of nodes, and its name has the form for nodes. */
function nodeOf(user: UserInfo): string | undefined {
  if (!user.name.startsWith(USER_PREFIX) || !user.groups.includes(GROUP)) return undefined;
  return user.name.slice(USER_PREFIX.length);
}

/** Decides about a request of one node for one object. */
type Rule = (node: string, asked: Attributes) => Decision;

/** The restrictions of nodes that later releases add. */
export interface NodeLimits {
  /** Whether a node may read only itself and its own pods, and must select them in lists. */
  readonly selectors: boolean;
}

/**
 * Allows nodes what they need. A node may read secrets, config maps, claims, volumes and tokens only if pods on it
 * refer to them. It may use its own lease and its own CSI node. For everything else, `rules` decide, which are the same
 * for every node.
 */
export function nodeAuthorizer(
  graph: NodeGraph,
  rules: readonly PolicyRule[],
  naming: Naming,
  limits: NodeLimits,
): Authorizer {
  const special = new Map([...specialResources(graph, naming), ...(limits.selectors ? selectedResources(graph) : [])]);
  return {
    authorize(asked) {
      const node = nodeOf(asked.user);
      if (node === undefined) return NO_OPINION;
      if (node === '') return refuse(`unknown node for user ${JSON.stringify(asked.user.name)}`);
      const rule = asked.isResource ? special.get(`${asked.group}/${asked.resource}`) : undefined;
      if (rule !== undefined) return rule(node, asked);
      return rules.some((allowed) => ruleAllows(allowed, asked)) ? ALLOWED : NO_OPINION;
    },
    rules: (user) => {
      const errors = ['node authorizer does not support user rule resolution'];
      const incomplete = nodeOf(user) !== undefined;
      return { resourceRules: [], nonResourceRules: [], incomplete, errors: incomplete ? errors : [] };
    },
  };
}

function refuse(reason: string): Decision {
  return { verdict: 'no-opinion', reason };
}

function specialResources(graph: NodeGraph, naming: Naming): ReadonlyMap<string, Rule> {
  const reach = (kind: Reachable, node: string, { namespace, name }: Attributes): Decision => {
    if (name === '') return refuse('No Object name found');
    return graph.reaches(node, kind, namespace, name)
      ? ALLOWED
      : refuse(`no relationship found between node '${node}' and this object`);
  };
  const read =
    (kind: Reachable): Rule =>
    (node, asked) => {
      if (!['get', 'list', 'watch'].includes(asked.verb)) return refuse('can only read resources of this type');
      if (asked.subresource !== '') return refuse('cannot read subresource');
      if (asked.namespace === '') return refuse('can only read namespaced object of this type');
      return reach(kind, node, asked);
    };
  const get =
    (kind: Reachable): Rule =>
    (node, asked) => {
      if (asked.verb !== 'get') return refuse('can only get individual resources of this type');
      if (asked.subresource !== '') return refuse('cannot get subresource');
      return reach(kind, node, asked);
    };
  const claim: Rule = (node, asked) => {
    if (asked.subresource !== 'status') return get('claim')(node, asked);
    if (asked.verb !== 'update' && asked.verb !== 'patch')
      return refuse('can only update or patch the status of resources of this type');
    return reach('claim', node, asked);
  };
  const token: Rule = (node, asked) => {
    if (asked.verb !== 'create' || asked.name === '')
      return refuse('can only create tokens for individual service accounts');
    if (asked.subresource !== 'token') return refuse('can only create token subresource of service account');
    return reach('serviceaccount', node, asked);
  };
  const storage = naming.group('storage');
  return new Map<string, Rule>([
    ['/secrets', read('secret')],
    ['/configmaps', read('configmap')],
    ['/persistentvolumeclaims', claim],
    ['/persistentvolumes', get('volume')],
    ['/serviceaccounts', token],
    [`${storage}/volumeattachments`, get('attachment')],
    [`${storage}/csinodes`, csiNode],
    [`${naming.group('coordination')}/leases`, lease(naming.prefixed('node-lease'))],
  ]);
}

const WRITES = ['get', 'create', 'update', 'patch', 'delete'];

function lease(leaseNamespace: string): Rule {
  return (node, { verb, namespace, name }) => {
    if (!WRITES.includes(verb)) return refuse('can only get, create, update, patch, or delete a node lease');
    if (namespace !== leaseNamespace)
      return refuse(`can only access leases in the ${JSON.stringify(leaseNamespace)} system namespace`);
    // A lease that is being created has no name yet. Admission checks it.
    if (verb !== 'create' && name !== node)
      return refuse('can only access node lease with the same name as the requesting node');
    return ALLOWED;
  };
}

const csiNode: Rule = (node, { verb, subresource, name }) => {
  if (!WRITES.includes(verb)) return refuse('can only get, create, update, patch, or delete a CSINode');
  if (subresource !== '') return refuse('cannot authorize CSINode subresources');
  if (verb !== 'create' && name !== node)
    return refuse('can only access CSINode with the same name as the requesting node');
  return ALLOWED;
};

/** Resources of which a node may read its own part. Admission decides about writes. */
function selectedResources(graph: NodeGraph): readonly (readonly [string, Rule])[] {
  return [
    ['/nodes', ownNode],
    ['/pods', podsOf(graph)],
  ];
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

const ownNode: Rule = (node, { verb, subresource, name }) => {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOWED : NO_OPINION;
  if (subresource !== '') return NO_OPINION;
  if (verb === 'create' || verb === 'update' || verb === 'patch') return ALLOWED;
  if (!READS.has(verb)) return NO_OPINION;
  if (name === node) return ALLOWED;
  if (name === '') return refuse(`node '${node}' cannot read all nodes, only its own Node object`);
  return refuse(`node '${node}' cannot read '${name}', only its own Node object`);
};

function podsOf(graph: NodeGraph): Rule {
  const reach = (node: string, { namespace, name }: Attributes): Decision =>
    graph.reaches(node, 'pod', namespace, name)
      ? ALLOWED
      : refuse(`no relationship found between node '${node}' and this object`);
  return (node, asked) => {
    const { verb, subresource, name } = asked;
    if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOWED : NO_OPINION;
    if (subresource === 'eviction') return verb === 'create' ? ALLOWED : NO_OPINION;
    if (subresource !== '') return NO_OPINION;
    if (verb === 'create' || verb === 'delete') return ALLOWED;
    if (verb === 'get') return name === '' ? refuse('No Object name found') : reach(node, asked);
    if (verb !== 'list' && verb !== 'watch') return NO_OPINION;
    if (selectsNode(asked, node)) return ALLOWED;
    return name === '' ? refuse('can only list/watch pods with spec.nodeName field selector') : reach(node, asked);
  };
}

function selectsNode({ fieldSelector }: Attributes, node: string): boolean {
  return readFields(fieldSelector).requirements.some(
    ({ key, operator, values }) => key === 'spec.nodeName' && operator === 'In' && values?.[0] === node,
  );
}
