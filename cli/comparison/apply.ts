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

export const applyLines: readonly Comparison[] = [
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
    meant: 'the three ways out are told in words of our own',
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
  { line: 'apply set-last-applied -f - --create-annotation', input: map('{a: x}'), before: ['create cm m'] },
];
