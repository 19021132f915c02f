import type { Comparison } from './comparison.ts';

const map = (name: string, data = '{a: b}', more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\ndata: ${data}\n`;

/** Malformed files, files of unknown kinds, and files that the server refuses, between valid files. */
const mixed = {
  'a.yaml': map('a'),
  'b.yaml': 'a: [b\n',
  'c.yaml': 'apiVersion: v1\nkind: Nope\nmetadata: {name: x}\n',
  'd.yaml': map('d'),
  'e.json': '{"a":',
  'f.yaml': map('B_'),
  'g.yml': 'apiVersion: v1\nmetadata: {name: x}\n',
};
/** The server refuses the second object. */
const refused = {
  'a.yaml': map('a'),
  'b.yaml': map('a', '{a: 1}'),
  'c.yaml': map('c', '{x: z}', ', resourceVersion: "1"'),
  'd.yaml': `${map('d')}---\n${map('e')}`,
};
const before = ['apply -f -'];
const given = map('a', '{a: z}');
const after = 'get cm -o yaml';
const small = map('a').replace('ConfigMap', 'configmap');

/**
 * Lines with several files, some of which are wrong. The output has the errors about all of them, and the results for
 * the valid files.
 */
export const badFileLines: readonly Comparison[] = [
  ...['create', 'diff', 'apply --dry-run=client', 'delete'].map((line) => ({
    ...{ line: `${line} -k FOLDER`, files: { 'kustomization.yaml': 'resources: [nope.yaml]\n' } },
  })),
  ...[
    'apply',
    'apply --server-side',
    'apply --dry-run=server',
    'apply --prune --all',
    'create',
    'create --dry-run=client',
    'replace',
    'delete',
    'diff',
    "patch -p '{}'",
  ].map((line) => ({ line: `${line} -f FOLDER`, files: mixed, before: [] })),
  ...[
    'apply',
    'apply --force',
    'apply -o yaml',
    'apply -o json',
    'apply -o name',
    "apply -o go-template='{{.metadata.name}}'",
    'create -o yaml',
    'replace',
    'replace --force',
    'delete',
    'delete --cascade=orphan',
    'diff',
  ].map((line) => ({ line: `${line} -f FOLDER`, files: refused, before, given, after })),
  ...['create', 'replace', 'delete', 'get', 'apply --server-side', 'label x=y', 'apply --dry-run=client'].map(
    (line) => ({ line: `${line} -f -`, input: small, before, given, after }),
  ),
  ...[map('a', '{a: c}'), map('a', '{a: c}', ', resourceVersion: "1"')].flatMap((input) =>
    ['', ' --create-annotation -o yaml --show-managed-fields'].map((flags) => ({
      ...{ line: `apply set-last-applied -f -${flags}`, input, before: ['apply -f - --field-manager=a'], given },
      after: 'get cm a -o yaml --show-managed-fields',
    })),
  ),
  ...['apply --force', 'apply', 'replace --force', 'replace', 'create', 'diff'].map((line) => ({
    ...{ line: `${line} -f -`, input: `${map('a', '{a: c}')}immutable: false\n---\n${refused['c.yaml']}` },
    before: ['apply -f -'],
    given: `${given}immutable: true\n`,
    after,
  })),
];
