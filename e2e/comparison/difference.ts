import type { Comparison } from './comparison.ts';

const map = (data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: ${data}\n`;
const secret = (data: string) => `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: ${data}\n`;
const given = map('{a: b, c: d}');

/** Lines with `diff`. */
export const differenceLines: readonly Comparison[] = [
  ...[
    { line: 'diff -f -', input: given },
    { line: 'diff -f -', input: map('{a: x}') },
    { line: 'diff -f - --server-side', input: map('{a: x}') },
    { line: 'diff -f - --server-side --force-conflicts', input: map('{a: x}') },
    { line: 'diff -f - --force-conflicts', input: map('{a: x}') },
    { line: 'diff -f -', input: `${map('{a: x}')}---\n${map('{}').replace('name: m', 'name: other')}` },
    { line: 'diff -f -', input: map('{a: 1}') },
    { line: 'diff -f -', input: 'apiVersion: v1\nkind: Nope\nmetadata: {name: b}\n' },
    { line: 'diff' },
    { line: 'diff foo' },
    { line: 'diff -f nope.yaml' },
  ].map((one) => ({ ...one, before: ['apply -f -'], given })),
  ...[
    { line: 'diff -f - --prune', input: map('{a: x}').replace('name: m', 'name: o') },
    { line: 'diff -f - --prune -l a=b', input: map('{a: x}').replace('name: m', 'name: o, labels: {a: b}') },
    { line: 'diff -f - --prune --prune-allowlist=core/v1/Secret', input: map('{a: x}').replace('name: m', 'name: o') },
    { line: 'diff -f - --prune --prune-allowlist=foo', input: given },
    { line: 'diff -f - --prune --prune-allowlist=core/v1/Foo', input: given },
    { line: 'diff -f - --prune', input: given },
    { line: 'diff -f - -l a=b', input: given },
    { line: 'diff -f - --field-manager=me --server-side', input: map('{a: x}') },
    { line: 'diff -f - --field-manager=me --server-side --force-conflicts', input: map('{a: x}') },
    { line: 'diff -f - --concurrency=4', input: `${map('{a: x}')}---\n${map('{a: x}').replace('m}', 'second}')}` },
    { line: 'diff -f -', input: `${map('{a: 1}')}---\n${map('{a: x}').replace('m}', 'second}')}` },
    { line: 'diff -f -', input: `${map('{a: x}')}---\n${map('{a: 1}').replace('m}', 'second}')}` },
    { line: 'diff -f -', input: `${map('{a: x}')}---\napiVersion: v1\nkind: Nope\nmetadata: {name: b}\n` },
    { line: 'diff -k x -R' },
    { line: 'diff -f - --show-managed-fields', input: given },
  ].map((one) => ({ ...one, before: ['apply -f -'], given })),
  ...['diff --foo', 'diff -Z', 'diff --namespace'].map((line) => ({ line })),
  { line: 'diff -f -', input: secret('{a: z, c: d}'), before: ['apply -f -'], given: secret('{a: b, c: d}') },
];
