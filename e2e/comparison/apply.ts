import type { Comparison } from './comparison.ts';

const map = (data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: ${data}\n`;
const containers = (...each: string[]) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: w}}
  template:
    metadata: {labels: {app: w}}
    spec:
      containers:
${each.map((one) => `      - ${one}\n`).join('')}`;

const before = ['apply -f -'];
const given = map('{a: b, c: d}');
const two = `${map('{a: z}')}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n`;

/** Objects that were applied before, and their new text in a file. */
const several = [
  map('{a: b}'),
  map('{}').replace('m}', 'second, labels: {a: b}}'),
  map('{}').replace('m}', 'third, labels: {a: b}}'),
];
const some = `${several[1]}---\n${several[0]!.replace('name: m', 'name: new')}`;
const finalized = map('{a: b}').replace('name: m', 'name: m, finalizers: [example.com/x]');

const volume =
  'apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: none-such}\nspec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /v}}\n';

/** `apply` after another kind of apply, `apply --prune`, and flags that exclude each other. */
const manners: readonly Comparison[] = [
  ...['', ' --force-conflicts', ' --field-manager=me --force-conflicts', ' --dry-run=server', ' -o yaml'].map(
    (flags) => ({
      line: `apply --server-side -f -${flags}`,
      input: map('{a: z}'),
      before,
      given,
      after: 'get cm m -o yaml --show-managed-fields',
    }),
  ),
  {
    line: 'apply --server-side -f -',
    input: containers('{name: c, image: i2}'),
    before,
    given: containers('{name: c, image: i, env: [{name: A, value: b}]}', '{name: d, image: i}'),
    after: 'get deploy web -o yaml --show-managed-fields',
  },
  ...[
    '--all',
    '-l a=b',
    '--all --prune-allowlist=core/v1/Secret',
    '--all --prune-allowlist=core/v1/ConfigMap --dry-run=client',
    '--all --dry-run=server',
    '--all -o name',
    '-l a=b -o yaml',
    '--all --cascade=orphan --grace-period=0',
  ].map((flags) => ({
    line: `apply --prune -f - ${flags}`,
    input: some,
    before,
    given: several.join('---\n'),
    after: 'get cm -o name',
  })),
  ...['', ' --server-side'].map((flags) => ({
    line: `apply -f -${flags}`,
    input: finalized.replace('a: b', 'a: c'),
    before: ['apply -f -', 'delete cm m --wait=false'],
    given: finalized,
  })),
  ...[
    '--server-side --force',
    '--dry-run=server --force',
    '--all -l a=b',
    '--prune --force --all',
    '--prune --server-side --all',
    '--prune --prune-allowlist=foo',
    '--prune --prune-allowlist=a/b/c/d --all',
    '--prune --prune-allowlist=core/v1/Foo --all',
    '--prune --prune-allowlist=apps/v9/Deployment --all',
    '--force-conflicts --prune',
    '--subresource=status',
    '--prune -l a=b --force-conflicts',
  ].map((flags) => ({ line: `apply -f - ${flags}`, input: map('{}') })),
  { line: 'apply --prune --all' },
  { line: 'apply -f - -k x', input: map('{}') },
  { line: 'apply -k x -R' },
];

export const applyLines: readonly Comparison[] = [
  ...manners,
  { line: 'apply -f -', input: map('{a: b}'), before: [] },
  { line: 'apply -f -', input: given, before, given },
  { line: 'apply -f -', input: map('{a: x}'), before, given },
  { line: 'apply -f -', input: two, before, given },
  { line: 'apply -f - -o name', input: two, before, given },
  { line: 'apply -f - -o yaml', input: two, before, given },
  { line: 'apply -f - --dry-run=client', input: two, before, given },
  { line: 'apply -f - --dry-run=server', input: two, before, given },
  { line: 'apply -f - --server-side', input: two, before: [] },
  { line: 'apply -f - --server-side -o yaml', input: map('{a: b}'), before: [] },
  { line: 'apply -f - --server-side --dry-run=client', input: two, before: [] },
  { line: 'apply -f - --force-conflicts', input: two, before: [] },
  { line: 'apply -f - --prune', input: two, before: [] },
  {
    line: 'apply -f - --prune --all',
    input: 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n',
    before,
    given,
  },
  { line: 'apply -f -', input: map('{a: 1}'), before, given },
  { line: 'apply -f -', input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: B_}\n', before: [] },
  { line: 'apply -f -', input: 'apiVersion: v1\nkind: Nope\nmetadata: {name: b}\n', before: [] },
  {
    line: 'apply -f - -o yaml',
    input: containers('{name: c, image: i2, env: [{name: B, value: c2}]}'),
    before,
    given: containers('{name: c, image: i, env: [{name: A, value: b}, {name: B, value: c}]}', '{name: d, image: i}'),
  },
  {
    line: 'apply -f -',
    input: map('{a: b}'),
    before: ['create cm m'],
  },
  {
    line: 'apply -f - --server-side --field-manager=me',
    input: map('{a: mine}'),
    before: ['apply --server-side -f -'],
    given,
    meant: 'the three ways out are written in words of our own',
  },
  { line: 'apply', before: [] },
  { line: 'apply -f -', input: '', before: [] },
  { line: 'apply -f - foo', input: two, before: [] },
  { line: 'apply view-last-applied cm m', before, given },
  { line: 'apply view-last-applied cm m -o json', before, given },
  { line: 'apply view-last-applied cm m -o x', before, given },
  { line: 'apply view-last-applied cm nope', before, given },
  { line: 'apply set-last-applied -f -', input: map('{a: x}'), before, given },
  { line: 'apply set-last-applied -f -', input: map('{a: x}'), before: ['create cm m'] },
  ...['', '--dry-run=client', '--dry-run=server -o yaml'].flatMap((flags) =>
    [map('{a: x}'), given, given.replace('m}', 'm, annotations: {}}')].map((input) => ({
      ...{
        line: `apply set-last-applied -f - --create-annotation ${flags}`,
        input,
        before: ['create cm m --from-literal=a=b'],
      },
      after: 'get cm m -o jsonpath={.metadata.annotations}',
    })),
  ),
  { line: 'apply set-last-applied -f -', input: given, before, given },
  ...['apply --server-side', 'apply', 'diff --server-side', 'create'].map((line) => ({
    ...{ line: `${line} -f - --field-manager=''`, input: map('{a: x}'), before: [] },
    after: 'get cm m -o jsonpath={.metadata.managedFields[*].operation} --ignore-not-found',
  })),
  {
    line: 'apply --prune --all --prune-allowlist=core/v1/ConfigMap -f -',
    // The volume is in no namespace. It exists before either program runs the line.
    ...{ input: volume, before, given: `${given}\n---\n${volume}`, after: 'get cm -o name' },
  },
];
