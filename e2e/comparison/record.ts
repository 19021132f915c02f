import type { Comparison } from './comparison.ts';

const before = ['create deployment web --image=nginx', 'create cm m --from-literal=a=b'];
const input = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata: {a: z}\n';
const cause = (what: string) => `get ${what} -o jsonpath={.metadata.annotations}`;

/** `--record`, which stores the command line in the changed objects. */
export const recordLines: readonly Comparison[] = [
  ...[
    'scale deploy web --replicas=2 --record',
    'scale deploy web --replicas=2 --record --dry-run=client',
    'set image deploy/web nginx=a:2 --record',
    'set image deploy/web nginx=a:2 --record=false',
    'set resources deploy web --limits=cpu=1 --record=true',
    'set serviceaccount deploy web robot --record',
    `patch deploy web --record -p '{"spec":{"paused":true}}'`,
    `patch deploy web --record -p '{"metadata":{"labels":{"a":"b"}}}' -o name`,
    'label deploy web a=b --record',
    'label deploy web a=b --record --dry-run=client',
    'annotate deploy web a=b --record',
    'annotate deploy web kubernetes.io/change-cause=mine --record',
  ].map((line) => ({ line, before, after: cause('deploy web') })),
  ...['create -f - --record', 'create -f - --record --save-config', 'apply -f - --record'].map((line) => ({
    ...{ line, before, input },
    after: cause('cm new'),
  })),
  { line: 'expose deploy web --port=80 --record', before, after: cause('svc web') },
  { line: 'run one --image=a --record', before, after: cause('pod one') },
  { line: 'autoscale deploy web --max=3 --record', before, after: 'get hpa web -o jsonpath={.metadata.annotations}' },
  ...['delete cm m --record', 'rollout restart deploy web --record', 'set env deploy web a=b --record'].map((line) => ({
    line,
    before,
  })),
];
