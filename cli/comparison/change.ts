import type { Comparison } from './comparison.ts';

const before = ['create deployment web --image=nginx', 'create cm m --from-literal=a=b'];
const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: z}\n';

/** scale, patch and replace. */
export const changeLines: readonly Comparison[] = [
  ...[
    'scale deploy web --replicas=3',
    'scale deploy/web --replicas=3 --current-replicas=2',
    'scale deploy/web --replicas=3 --current-replicas=1',
    'scale deploy nope --replicas=1',
    'scale deploy web --replicas=-1',
    'scale cm nope --replicas=1',
    'scale --replicas=2 deploy --all',
    'scale deploy web --replicas=2 -o name',
    'scale deploy web --replicas=2 --dry-run=server',
    `patch deploy web -p '{"spec":{"replicas":4}}'`,
    `patch deploy web -p '{"spec":{"replicas":1}}'`,
    `patch deploy web -p 'spec: {replicas: 5}' --type=merge`,
    `patch deploy web --type=json -p '[{"op":"replace","path":"/spec/replicas","value":6}]'`,
    `patch deploy web --type=json -p '[{"op":"remove","path":"/nope"}]'`,
    'patch deploy web',
    "patch deploy -p '{}'",
    'patch',
    "patch deploy web --type=foo -p '{}'",
    "patch deploy nope -p '{}'",
    'patch deploy web --patch-file=nope',
    `patch deploy web -p '{"spec":{"replicas":"x"}}'`,
    `patch cm m -p '{"data":{"q":"r"}}' --dry-run=client -o yaml`,
    `patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"x"}]}}}}' --dry-run=client -o yaml`,
    `patch deploy web -p '{"spec":{"replicas":2}}' --subresource=scale --type=merge`,
    'replace',
    'replace -f nope.yaml',
    'replace foo',
  ].map((line) => ({ line, before })),
  { line: 'replace -f -', input: map, before },
  { line: 'replace -f - -o yaml', input: map, before },
  { line: 'replace -f - --dry-run=server', input: map, before },
  { line: 'replace -f - --force', input: map, before },
  { line: 'replace -f - --grace-period=1', input: map, before },
  { line: 'replace -f -', input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nope}\n', before },
  { line: 'replace -f -', input: '', before },
];
