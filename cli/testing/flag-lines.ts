import { createNaming } from '#base/naming/create-naming.ts';
import type { ResourceType } from '#client/resource-type.ts';
import { wordsOf } from '#e2e/comparison/compare.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';

const namespaced = (plural: string, kind: string, group = '', version = 'v1'): ResourceType => ({
  ...{ group, version, plural, kind, namespaced: true },
});
const global = (plural: string, kind: string, group = '', version = 'v1'): ResourceType => ({
  ...{ group, version, plural, kind, namespaced: false },
});
const [configMaps, pods, services] = [
  namespaced('configmaps', 'ConfigMap'),
  namespaced('pods', 'Pod'),
  namespaced('services', 'Service'),
];
const [deployments, nodes] = [namespaced('deployments', 'Deployment', 'apps'), global('nodes', 'Node')];
const bindings = namespaced('rolebindings', 'RoleBinding', 'rbac.authorization');
const requests = global('certificatesigningrequests', 'CertificateSigningRequest', 'certificates');
const cronJobs = namespaced('cronjobs', 'CronJob', 'batch');

/** The kinds that command lines of all commands need. */
export const types: readonly ResourceType[] = [
  ...[configMaps, pods, services, deployments, nodes, bindings, requests, cronJobs],
  ...[
    namespaced('secrets', 'Secret'),
    namespaced('serviceaccounts', 'ServiceAccount'),
    global('namespaces', 'Namespace'),
  ],
  ...[
    namespaced('replicasets', 'ReplicaSet', 'apps'),
    namespaced('events', 'Event'),
    namespaced('jobs', 'Job', 'batch'),
  ],
  ...['roles', 'rolebindings'].map((plural) =>
    namespaced(plural, plural === 'roles' ? 'Role' : 'RoleBinding', 'rbac.authorization'),
  ),
  ...[
    global('clusterroles', 'ClusterRole', 'rbac.authorization'),
    global('clusterrolebindings', 'ClusterRoleBinding', 'rbac.authorization'),
  ],
  namespaced('horizontalpodautoscalers', 'HorizontalPodAutoscaler', 'autoscaling'),
  ...[
    namespaced('podmetrics', 'PodMetrics', 'metrics', 'v1beta1'),
    global('nodemetrics', 'NodeMetrics', 'metrics', 'v1beta1'),
  ],
];

const labels = { a: 'b' };
const [own, there] = [
  { name: 'm', namespace: 'default', labels },
  { name: 'd', namespace: 'default', labels },
];
const container = { name: 'c', image: 'i', env: [{ name: 'A', value: 'b' }] };
const template = { metadata: { labels }, spec: { containers: [container] } };

/** The objects on the server for these command lines. */
export const objects: readonly (readonly [type: ResourceType, object: ApiObject])[] = [
  [configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: own, data: { a: 'b' } }],
  [configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...own, name: 'refused' }, data: {} }],
  [
    configMaps,
    {
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: {
        ...own,
        name: 'l',
        annotations: { [createNaming('orch').key('ctl/last-applied-configuration')]: '{}' },
      },
    },
  ],
  [
    pods,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...own, name: 'p' },
      spec: { nodeName: 'n', containers: [container] },
      status: { phase: 'Running' },
    },
  ],
  [
    services,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...own, name: 's' },
      spec: { selector: labels, ports: [{ port: 80 }] },
    },
  ],
  [
    deployments,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: there,
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    },
  ],
  [nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels }, spec: {} }],
  [
    bindings,
    { apiVersion: 'rbac.authorization/v1', kind: 'RoleBinding', metadata: { ...own, name: 'b' }, subjects: [] },
  ],
  [
    requests,
    { apiVersion: 'certificates/v1', kind: 'CertificateSigningRequest', metadata: { name: 'r', labels }, spec: {} },
  ],
  [
    cronJobs,
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { ...own, name: 'j' },
      spec: { jobTemplate: { spec: { template } } },
    },
  ],
];

/** The values of flags that accept no other values. */
export const values: ReadonlyMap<string, string> = new Map([
  ['dry-run', 'client'],
  ['output', 'yaml'],
  ['selector', 'a=b'],
]);

const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, labels: {a: b}}\ndata: {a: c}\n';
const role =
  'apiVersion: rbac.authorization/v1\nkind: Role\nmetadata: {name: x}\nrules: [{verbs: [get], apiGroups: [""], resources: [pods]}]\n';
/** An object that the server refuses to change. */
const other = map.replace('name: m', 'name: refused');
const line = (text: string, input?: string): [words: readonly string[], input: string] => [wordsOf(text), input ?? map];

/** The command lines that make each command read its flags, alone or with one of the flags. */
export const flagLines: ReadonlyMap<string, readonly (readonly [words: readonly string[], input: string])[]> = new Map(
  [
    [
      'create',
      line('create -f -'),
      line('create -f - --edit'),
      line('create --raw=/api/v1/namespaces/default/configmaps -f -'),
    ],
    ['create clusterrole', line('create clusterrole x --verb=get --resource=pods'), line('create clusterrole x')],
    ['create clusterrolebinding', line('create clusterrolebinding x --clusterrole=y')],
    ['create configmap', line('create configmap x --from-literal=a=b')],
    ['create cronjob', line('create cronjob x --image=i --schedule=@daily')],
    ['create deployment', line('create deployment x --image=i')],
    ['create ingress', line('create ingress x --rule=a/b=c:80')],
    ['create job', line('create job x --image=i'), line('create job x --from=cronjobs/j')],
    ['create namespace', line('create namespace x')],
    ['create poddisruptionbudget', line('create poddisruptionbudget x --min-available=1 --selector=a=b')],
    ['create priorityclass', line('create priorityclass x --value=1')],
    ['create quota', line('create quota x --hard=pods=1')],
    ['create role', line('create role x --verb=get --resource=pods')],
    ['create rolebinding', line('create rolebinding x --role=y'), line('create rolebinding x')],
    ['create secret docker-registry', line('create secret docker-registry x --docker-username=a --docker-password=b')],
    ['create secret generic', line('create secret generic x --from-literal=a=b')],
    ['create secret tls', line('create secret tls x --cert=/dev/null --key=/dev/null')],
    ['create service clusterip', line('create service clusterip x --tcp=80')],
    ['create service externalname', line('create service externalname x --external-name=a.b')],
    ['create service loadbalancer', line('create service loadbalancer x --tcp=80')],
    ['create service nodeport', line('create service nodeport x --tcp=80')],
    ['create serviceaccount', line('create serviceaccount x')],
    ['create token', line('create token x')],
    ['expose', line('expose service s --port=80 --name=x'), line('expose -f -')],
    [
      'run',
      line('run x --image=i'),
      line('run x --image=i --attach'),
      line('run x --image=i --rm --attach'),
      line('run x --image=i --expose --port=80'),
    ],
    [
      'set env',
      line('set env -f - A=b'),
      line('set env deployments/d A=b'),
      line('set env deployments --all A=b'),
      line('set env deployments/d --list'),
      line('set env deployments/d --from=configmap/m'),
    ],
    [
      'set image',
      line('set image -f - c=i'),
      line('set image deployments/d c=j'),
      line('set image deployments c=i --all'),
    ],
    [
      'set resources',
      line('set resources -f - --limits=cpu=1'),
      line('set resources deployments d --limits=cpu=1'),
      line('set resources deployments --all --limits=cpu=1'),
    ],
    [
      'set selector',
      line('set selector -f - a=b'),
      line('set selector services s a=b'),
      line('set selector services --all a=b'),
    ],
    [
      'set serviceaccount',
      line('set serviceaccount -f - x'),
      line('set serviceaccount deployments d x'),
      line('set serviceaccount deployments --all x'),
    ],
    [
      'set subject',
      line('set subject -f - --user=x'),
      line('set subject rolebindings b --user=x'),
      line('set subject rolebindings --all --user=x'),
    ],
    ['explain', line('explain pods')],
    ['edit', line('edit -f -'), line('edit configmaps m')],
    [
      'get',
      line('get -f -'),
      line('get configmaps'),
      line('get configmaps nope'),
      line('get configmaps m'),
      line('get configmaps -o json'),
      line('get configmaps -w'),
      line('get --raw=/api'),
    ],
    ['cluster-info'],
    ['cluster-info dump', line('cluster-info dump')],
    ['certificate approve', line('certificate approve -f -'), line('certificate approve r')],
    ['certificate deny', line('certificate deny -f -'), line('certificate deny r')],
    ['top node', line('top node'), line('top node n')],
    ['top pod', line('top pod'), line('top pod p')],
    ['cordon', line('cordon n'), line('cordon -l a=b')],
    ['uncordon', line('uncordon n'), line('uncordon -l a=b')],
    ['drain', line('drain n'), line('drain -l a=b'), line('drain n --force')],
    ['taint', line('taint nodes n a=b:NoSchedule'), line('taint nodes --all a=b:NoSchedule')],
    ['logs', line('logs p'), line('logs -l a=b'), line('logs deployments/d')],
    ['attach', line('attach p -i')],
    ['exec', line('exec p -- x'), line('exec -f - -- x')],
    ['port-forward', line('port-forward p :80')],
    ['proxy', line('proxy --port=0')],
    ['console', line('console')],
    ['cp', line('cp p:/a /tmp/a'), line('cp /dev/null p:/a')],
    ['auth can-i', line('auth can-i get pods'), line('auth can-i --list')],
    ['auth reconcile', line('auth reconcile -f -', role)],
    ['auth whoami', line('auth whoami')],
    [
      'debug',
      line('debug p --image=i'),
      line('debug p --image=i --copy-to=x'),
      line('debug nodes/n --image=i'),
      line('debug p --image=i -it'),
    ],
    ['events', line('events'), line('events -w')],
    ['history', line('history configmaps m')],
    ['tree', line('tree configmaps m')],
    ['who-can', line('who-can get pods')],
    ['describe', line('describe -f -'), line('describe configmaps m'), line('describe configmaps')],
    [
      'apply',
      line('apply -f -'),
      line('apply -f - --server-side'),
      line('apply -f - --prune --all'),
      line('apply -f - --force --dry-run=none', other),
    ],
    [
      'apply edit-last-applied',
      line('apply edit-last-applied -f -'),
      line('apply edit-last-applied configmaps m'),
      line('apply edit-last-applied configmaps l'),
    ],
    ['apply set-last-applied', line('apply set-last-applied -f -')],
    [
      'apply view-last-applied',
      line('apply view-last-applied -f -'),
      line('apply view-last-applied configmaps m'),
      line('apply view-last-applied configmaps'),
    ],
    [
      'delete',
      line('delete -f -'),
      line('delete configmaps m'),
      line('delete configmaps --all'),
      line('delete --raw=/api'),
    ],
    ['rollout history', line('rollout history -f -'), line('rollout history deployments/d')],
    ['rollout pause', line('rollout pause -f -'), line('rollout pause deployments/d')],
    ['rollout restart', line('rollout restart -f -'), line('rollout restart deployments/d')],
    ['rollout resume', line('rollout resume -f -'), line('rollout resume deployments/d')],
    ['rollout status', line('rollout status -f -'), line('rollout status deployments/d')],
    ['rollout undo', line('rollout undo -f -'), line('rollout undo deployments/d')],
    ['autoscale', line('autoscale -f - --max=3'), line('autoscale deployments d --max=3')],
    [
      'scale',
      line('scale -f - --replicas=2'),
      line('scale deployments d --replicas=2'),
      line('scale deployments --all --replicas=2'),
    ],
    ['patch', line('patch -f - -p {}'), line('patch configmaps m -p {}')],
    [
      'replace',
      line('replace -f -'),
      line('replace -f - --force'),
      line('replace --raw=/api/v1/namespaces/default/configmaps/m -f -'),
    ],
    [
      'wait',
      line('wait -f - --for=delete'),
      line('wait configmaps/m --for=delete'),
      line('wait configmaps --all --for=create'),
    ],
    ['diff', line('diff -f -'), line('diff configmaps m --at=5m')],
    ['kustomize', line('kustomize /nonexistent')],
    ['convert', line('convert -f -'), line('convert -f - --local=false')],
    ['label', line('label -f - x=y'), line('label configmaps m x=y'), line('label configmaps --all x=y')],
    ['annotate', line('annotate -f - x=y'), line('annotate configmaps m x=y'), line('annotate configmaps --all x=y')],
    ['completion', line('completion bash')],
    ['api-resources', line('api-resources')],
    ['api-versions', line('api-versions')],
    ['config get-contexts', line('config get-contexts')],
    ['config set', line('config set users.x.token y')],
    ['config set-cluster', line('config set-cluster x')],
    ['config set-context', line('config set-context x')],
    ['config set-credentials', line('config set-credentials x')],
    ['config view', line('config view')],
    [
      'kuberc set',
      line('kuberc set --section=defaults --command=get --option=a=b'),
      line('kuberc set --section=aliases --name=n --command=get'),
      line('kuberc set --section=credentialplugin --policy=Allowlist --allowlist-entry=command=x'),
    ],
    ['kuberc view', line('kuberc view')],
    ['plugin list', line('plugin list')],
    ['version', line('version')],
  ].map(([name, ...lines]) => [name as string, lines as [string[], string][]]),
);

/** The words that must accompany a flag so that it is read, by the flag's name. */
export const companions: ReadonlyMap<string, readonly string[]> = new Map([
  ['show-managed-fields', ['--output=yaml']],
  ['allow-missing-template-keys', ['--output=go-template', '--template={{.a}}']],
  ['template', ['--output=go-template']],
  ['override-type', ['--overrides={}']],
  ['prune-allowlist', ['--prune']],
  ['resolve', ['--list']],
  ['load-balancer-ip', ['--type=LoadBalancer']],
  ['name-only', []],
]);
