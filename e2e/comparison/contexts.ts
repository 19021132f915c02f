import type { Comparison } from './comparison.ts';

/** Commands with a context that does not exist. Some of them connect before they need a namespace. */
export const contextLines: readonly Comparison[] = [
  'version',
  'api-resources',
  'api-versions',
  'apply -f FOLDER/m.yaml',
  'apply view-last-applied cm x',
  'auth can-i get pods',
  'auth whoami',
  'auth reconcile -f FOLDER/m.yaml',
  'autoscale deploy x --max=2',
  'certificate approve x',
  'cluster-info',
  'cluster-info dump',
  'cordon x',
  'create -f FOLDER/m.yaml',
  'create ns x',
  'create deploy x --image=y',
  'create token x',
  'describe pods',
  'delete pod x',
  'diff -f FOLDER/m.yaml',
  'drain x',
  'edit pod x',
  'exec x -- ls',
  'explain pods',
  'expose deploy x',
  'get pods',
  'get --raw /',
  'label pod x a=b',
  'logs x',
  "patch pod x -p '{}'",
  'replace -f FOLDER/m.yaml',
  'rollout status deploy/x',
  'run x --image=y',
  'scale deploy/x --replicas=1',
  'set env deploy/x a=b',
  'set image deploy/x a=b',
  'taint nodes x a=b:NoSchedule',
  'top nodes',
  'top pods',
  'wait --for=delete pod/x',
].map((line) => ({
  line: `${line} --context=nope`,
  files: { 'm.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n' },
}));

/** Names of missing parts of connection files, and addresses that are not valid. */
export const connectionLines: readonly Comparison[] = [
  'version --cluster=nope',
  'get pods --cluster=nope',
  'get pods --cluster=nope -n one',
  'get pods --context=nope -n one',
  'describe pods --cluster=nope -n one',
  'get pods --user=nope -n one',
  "get nodes -o name -s ''",
  'get pods -s x:y:z',
  'version -s 127.0.0.1:x',
].map((line) => ({ line }));

/** Files that are not connection files. */
export const brokenFileLines: readonly Comparison[] = ['unclosed', 'text', 'list', 'tab'].flatMap((name) =>
  ['get pods', 'config view', 'config current-context'].map((line) => ({
    line: `${line} --kubeconfig=FOLDER/${name}`,
    files: { unclosed: 'apiVersion: v1\nclusters: {a: b\n', text: 'hello\n', list: '- a\n', tab: '\t- x\n' },
  })),
);
