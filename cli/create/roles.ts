import type { Invocation } from '../frame/command.ts';
import { CommandError } from '../frame/errors.ts';
import type { Flag } from '../frame/flag.ts';
import { type Generator, pairs } from './generator.ts';

const VERBS = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'use',
  'bind',
  'escalate',
  'impersonate',
  '*',
  'approve',
  'sign',
  'attest',
  'proxy',
];

const NON_RESOURCE_VERBS = ['get', 'put', 'post', 'head', 'options', 'delete', 'patch', '*'];

const ruleFlags: readonly Flag[] = [
  { name: 'resource', type: 'strings', help: 'Types that the rule is about: pods, deployments.apps, pods/log' },
  { name: 'resource-name', type: 'texts', help: 'Names that the rule is about; all without it' },
  { name: 'verb', type: 'strings', help: 'What may be done: get, list, watch, create …' },
];

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

function verbsOf({ flags }: Invocation): string[] {
  const verbs = [...new Set(flags.list('verb'))];
  return verbs.includes('*') ? ['*'] : verbs;
}

/** One rule for each group, with the types of the flag. @throws CommandError */
async function rulesOf(invocation: Invocation, verbs: readonly string[]): Promise<Rule[]> {
  const { flags, session, io } = invocation;
  const names = flags.list('resource-name');
  if (verbs.includes('*') === false)
    for (const verb of verbs)
      if (!VERBS.includes(verb)) io.err.write(`Warning: '${verb}' is not a standard resource verb\n`);
  const byGroup = new Map<string, string[]>();
  for (const text of flags.list('resource')) {
    const slash = text.indexOf('/');
    const [word, sub] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash)];
    if (slash >= 0 && sub === '/') throw new CommandError('resource with an empty subresource');
    let [group, plural] = ['', '*'];
    if (word !== '*') {
      const type = await session.typeNamed(word);
      if (type === undefined)
        throw new CommandError(`the server doesn't have a resource type "${word}"`, { plain: true });
      [group, plural] = [type.group, type.plural];
    }
    const list = byGroup.get(group) ?? [];
    if (!list.includes(plural + sub)) list.push(plural + sub);
    byGroup.set(group, list);
  }
  return [...byGroup].map(([group, resources]) => ({
    apiGroups: [group],
    ...(names.length === 0 ? {} : { resourceNames: names }),
    resources,
    verbs,
  }));
}

export const role: Generator = {
  ...{ name: 'role', short: 'Create a role with single rule' },
  usage:
    '--verb=verb --resource=resource.group/subresource [--resource-name=resourcename] [--dry-run=server|client|none]',
  examples: '# Reading pods\n{} create role pod-reader --verb=get,list,watch --resource=pods',
  flags: ruleFlags,
  ...{ apiVersion: 'rbac.authorization/v1', kind: 'Role', namespaced: true },
  async describe(_, invocation) {
    const verbs = verbsOf(invocation);
    if (verbs.length === 0) throw new CommandError('at least one verb must be specified');
    if (invocation.flags.list('resource').length === 0)
      throw new CommandError('at least one resource must be specified');
    return { rules: await rulesOf(invocation, verbs) };
  },
};

export const clusterRole: Generator = {
  ...{ name: 'clusterrole', short: 'Create a cluster role' },
  usage: '--verb=verb --resource=resource.group [--resource-name=resourcename] [--dry-run=server|client|none]',
  examples:
    '# Reading nodes\n{} create clusterrole node-reader --verb=get,list,watch --resource=nodes\n\n# Health\n{} create clusterrole prober --verb=get --non-resource-url=/healthz',
  flags: [
    { name: 'aggregation-rule', type: 'strings', help: 'Labels of roles whose rules this one collects' },
    { name: 'non-resource-url', type: 'strings', help: 'Paths that are no resources' },
    ...ruleFlags,
  ],
  ...{ apiVersion: 'rbac.authorization/v1', kind: 'ClusterRole', namespaced: false },
  async describe(_, invocation) {
    const { flags, io } = invocation;
    const [urls, resources] = [flags.list('non-resource-url'), flags.list('resource')];
    const aggregated = flags.list('aggregation-rule');
    const verbs = verbsOf(invocation);
    if (aggregated.length > 0) {
      if (resources.length > 0 || urls.length > 0 || verbs.length > 0 || flags.list('resource-name').length > 0)
        throw new CommandError(
          'aggregation rule must be specified without nonResourceURLs, resources and resourceNames',
        );
      const matchLabels = pairs(aggregated, (text) => `invalid aggregation-rule ${text}, expected key=value`);
      return { aggregationRule: { clusterRoleSelectors: [{ matchLabels }] }, rules: null };
    }
    if (verbs.length === 0) throw new CommandError('at least one verb must be specified');
    if (resources.length === 0 && urls.length === 0)
      throw new CommandError('one of resource or nonResourceURL must be specified');
    if (urls.length > 0 && flags.list('resource-name').length > 0)
      throw new CommandError('resource-name cannot be set with nonResourceURL');
    if (urls.length > 0)
      for (const verb of verbs)
        if (!NON_RESOURCE_VERBS.includes(verb) && resources.length === 0)
          io.err.write(`Warning: '${verb}' is not a standard non-resource verb\n`);
    const rules: object[] = resources.length === 0 ? [] : await rulesOf(invocation, verbs);
    if (urls.length > 0) rules.push({ nonResourceURLs: urls, verbs });
    return { rules };
  },
};

const subjectFlags: readonly Flag[] = [
  { name: 'group', type: 'texts', help: 'Group that gets the role' },
  { name: 'serviceaccount', type: 'texts', help: 'Service account that gets the role: NAMESPACE:NAME' },
  { name: 'user', type: 'texts', help: 'User who gets the role' },
];

async function bound({ flags, session }: Invocation, kind: string, name: string) {
  const apiGroup = (await session.naming()).group('rbac.authorization');
  const accounts = flags.list('serviceaccount').map((text) => {
    const [namespace, account, ...more] = text.split(':');
    if (!namespace || !account || more.length > 0) throw new CommandError('serviceaccount must be <namespace>:<name>');
    return { kind: 'ServiceAccount', name: account, namespace };
  });
  const subjects = [
    ...flags.list('user').map((user) => ({ apiGroup, kind: 'User', name: user })),
    ...flags.list('group').map((group) => ({ apiGroup, kind: 'Group', name: group })),
    ...accounts,
  ];
  return { roleRef: { apiGroup, kind, name }, ...(subjects.length === 0 ? {} : { subjects }) };
}

export const roleBinding: Generator = {
  ...{ name: 'rolebinding', short: 'Create a role binding for a particular role or cluster role' },
  usage:
    '--clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]',
  examples: '# A user may read pods\n{} create rolebinding ann-reads --role=pod-reader --user=ann',
  flags: [
    { name: 'clusterrole', type: 'string', help: 'Cluster role that is given' },
    ...subjectFlags,
    { name: 'role', type: 'string', help: 'Role that is given' },
  ],
  ...{ apiVersion: 'rbac.authorization/v1', kind: 'RoleBinding', namespaced: true },
  failure: 'failed to create rolebinding:',
  describe: (_, invocation) => {
    const [own, cluster] = [invocation.flags.text('role'), invocation.flags.text('clusterrole')];
    if ((own === '') === (cluster === ''))
      throw new CommandError('exactly one of clusterrole or role must be specified');
    return bound(invocation, own === '' ? 'ClusterRole' : 'Role', own || cluster);
  },
};

export const clusterRoleBinding: Generator = {
  ...{ name: 'clusterrolebinding', short: 'Create a cluster role binding for a particular cluster role' },
  usage:
    '--clusterrole=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]',
  examples: '# A group may read everywhere\n{} create clusterrolebinding devs-view --clusterrole=view --group=devs',
  flags: [{ name: 'clusterrole', type: 'string', help: 'Cluster role that is given' }, ...subjectFlags],
  required: ['clusterrole'],
  ...{ apiVersion: 'rbac.authorization/v1', kind: 'ClusterRoleBinding', namespaced: false },
  failure: 'failed to create clusterrolebinding:',
  describe: (_, invocation) => bound(invocation, 'ClusterRole', invocation.flags.text('clusterrole')),
};
