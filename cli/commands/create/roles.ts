import type { Invocation } from '../../command-line/command.ts';
import { typeInGroup } from '../../connection/find-type.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flag } from '../../framework/flag.ts';
import type { Generator } from './generator.ts';

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
  'proxy',
];

/** The verbs that apply only to these types. Servers do not list some of them. The groups have their short names. */
const SPECIAL_VERBS: ReadonlyMap<string, readonly string[]> = new Map([
  ['use', ['podsecuritypolicies.policy', 'podsecuritypolicies.extensions']],
  ['bind', ['roles.rbac.authorization', 'clusterroles.rbac.authorization']],
  ['escalate', ['roles.rbac.authorization', 'clusterroles.rbac.authorization']],
  ['impersonate', ['users.', 'serviceaccounts.', 'groups.', 'userextras.authentication']],
]);

const NON_RESOURCE_VERBS = ['get', 'put', 'post', 'head', 'options', 'delete', 'patch', '*'];

const ruleFlags: readonly Flag[] = [
  { name: 'resource', type: 'strings', help: 'Resources that the rule applies to: pods, deployments.apps, pods/log' },
  { name: 'resource-name', type: 'texts', help: 'Names of objects that the rule applies to; by default all' },
  { name: 'verb', type: 'strings', help: 'Allowed verbs: get, list, watch, create …' },
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

/** A type that `--resource` names: `pods`, `deployments.apps`, `pods/log`. */
interface Named {
  readonly plural: string;
  readonly group: string;
  readonly subresource: string;
  /** The error about this type. It is reported only if no special verb applies. */
  readonly mistake?: string;
}

/** The types that the flag names. A `*` means all types. @throws CommandError if the text is malformed */
async function named({ flags, session }: Invocation): Promise<Named[]> {
  const all: Named[] = [];
  for (const text of flags.list('resource')) {
    const [word = '', ...subresources] = text.split('/');
    const [plural = '', ...groups] = word.split('.');
    const [subresource, group] = [subresources.join('/'), groups.join('.')];
    if (text === '*') return [{ plural, group, subresource }];
    if (plural === '') throw new CommandError('resource must be specified if apiGroup/subresource specified');
    const known = (await session.discovered()).types;
    const type = plural === '*' ? undefined : typeInGroup(known, plural, group);
    const where = group === '' ? '' : ` in group "${group}"`;
    all.push(
      type !== undefined
        ? { plural: type.plural, group: type.group, subresource }
        : { plural, group, subresource, mistake: `the server doesn't have a resource type "${plural}"${where}` },
    );
  }
  return all;
}

/** @throws CommandError if the server does not have a type, or a type does not have a verb */
async function checkNamed(all: readonly Named[], verbs: readonly string[], { session }: Invocation): Promise<void> {
  const naming = await session.naming();
  for (const { plural, group, mistake } of all) {
    if (plural === '*') return;
    const special = verbs.filter((verb) => SPECIAL_VERBS.has(verb));
    for (const verb of special) {
      const fits = SPECIAL_VERBS.get(verb)!.map((text) => {
        const [one, ...rest] = text.split('.');
        const short = rest.join('.');
        return `${one}.${short.includes('a') ? naming.group(short) : short}`;
      });
      if (!fits.includes(`${plural}.${group}`))
        throw new CommandError(`can not perform '${verb}' on '${plural}' in group '${group}'`);
    }
    if (mistake !== undefined && special.length === 0) throw new CommandError(mistake, { plain: true });
  }
}

/** One rule for each group of the types that the flag names. @throws CommandError for a wrong type or verb */
async function rulesOf(invocation: Invocation, verbs: readonly string[]): Promise<Rule[]> {
  const { flags, io } = invocation;
  const names = [...new Set(flags.list('resource-name'))];
  for (const verb of verbs)
    if (!VERBS.includes(verb)) io.err.write(`Warning: '${verb}' is not a standard resource verb\n`);
  const types = await named(invocation);
  await checkNamed(types, verbs, invocation);
  const byGroup = new Map<string, Set<string>>();
  for (const { plural, group, subresource } of types) {
    const list = byGroup.get(group) ?? new Set();
    byGroup.set(group, list.add(subresource === '' ? plural : `${plural}/${subresource}`));
  }
  return [...byGroup]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, resources]) => ({
      apiGroups: [group],
      ...(names.length === 0 ? {} : { resourceNames: names }),
      resources: [...resources],
      verbs,
    }));
}

/** @throws CommandError for a path that no request can have */
function checkPaths(paths: readonly string[], verbs: readonly string[]): void {
  for (const verb of verbs)
    if (!NON_RESOURCE_VERBS.includes(verb)) throw new CommandError(`invalid verb: '${verb}' for nonResourceURL`);
  for (const path of paths) {
    if (path !== '*' && !path.startsWith('/')) throw new CommandError('nonResourceURL should start with /');
    if (path.slice(0, -1).includes('*'))
      throw new CommandError("nonResourceURL only supports wildcard matches when '*' is at the end");
  }
}

export const role: Generator = {
  ...{ name: 'role', short: 'Create a role with single rule' },
  usage:
    '--verb=verb --resource=resource.group/subresource [--resource-name=resourcename] [--dry-run=server|client|none]',
  examples: '# A role that allows reading pods\n{} create role pod-reader --verb=get,list,watch --resource=pods',
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
    '# A role that allows reading nodes\n{} create clusterrole node-reader --verb=get,list,watch --resource=nodes\n\n# A role that allows reading a URL path\n{} create clusterrole prober --verb=get --non-resource-url=/healthz',
  flags: [
    {
      name: 'aggregation-rule',
      type: 'pairs',
      help: 'Labels of the cluster roles whose rules this role combines: key=value',
    },
    {
      name: 'non-resource-url',
      type: 'strings',
      help: 'URL paths that the rule applies to and that are not resources, such as /metrics',
    },
    ...ruleFlags,
  ],
  ...{ apiVersion: 'rbac.authorization/v1', kind: 'ClusterRole', namespaced: false },
  async describe(_, invocation) {
    const { flags } = invocation;
    const [urls, resources] = [flags.list('non-resource-url'), flags.list('resource')];
    const verbs = verbsOf(invocation);
    const named = flags.list('resource-name').length > 0;
    if (flags.has('aggregation-rule')) {
      if (resources.length > 0 || urls.length > 0 || verbs.length > 0 || named)
        throw new CommandError(
          'aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames',
        );
      return {
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: flags.pairs('aggregation-rule') }] },
        rules: null,
      };
    }
    if (verbs.length === 0) throw new CommandError('at least one verb must be specified');
    if (resources.length === 0 && urls.length === 0)
      throw new CommandError('one of resource or nonResourceURL must be specified');
    if (urls.length > 0 && named) throw new CommandError('resource-name cannot be set with nonResourceURL');
    const rules: object[] = resources.length === 0 ? [] : await rulesOf(invocation, verbs);
    if (urls.length > 0) checkPaths(urls, verbs);
    if (urls.length > 0) rules.push({ nonResourceURLs: urls, verbs });
    return { rules };
  },
};

const subjectFlags: readonly Flag[] = [
  { name: 'group', type: 'texts', help: 'Group to give the role to' },
  { name: 'serviceaccount', type: 'texts', help: 'Service account to give the role to: NAMESPACE:NAME' },
  { name: 'user', type: 'texts', help: 'User to give the role to' },
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
    { name: 'clusterrole', type: 'string', help: 'Cluster role to bind' },
    ...subjectFlags,
    { name: 'role', type: 'string', help: 'Role to bind' },
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
  examples:
    '# A group may read in all namespaces\n{} create clusterrolebinding devs-view --clusterrole=view --group=devs',
  flags: [{ name: 'clusterrole', type: 'string', help: 'Cluster role to bind' }, ...subjectFlags],
  required: ['clusterrole'],
  ...{ apiVersion: 'rbac.authorization/v1', kind: 'ClusterRoleBinding', namespaced: false },
  failure: 'failed to create clusterrolebinding:',
  describe: (_, invocation) => bound(invocation, 'ClusterRole', invocation.flags.text('clusterrole')),
};
