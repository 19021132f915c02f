import assert from 'node:assert/strict';
import { FakeServer } from '#client/testing/fake-server.ts';
import { wordsOf } from '#e2e/comparison/compare.ts';
import { runLine } from '../testing/run-line.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const deployments = { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true };
const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
const nodes = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };

const map = 'apiVersion: v1\nkind: ConfigMap\n';
const deployment = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {labels: {app: web}}\n';

/** Files with an object that has no name. */
const files: Readonly<Record<string, string>> = {
  'no metadata': map,
  'no name': `${map}metadata: {labels: {a: b}}\n`,
  'an empty name': `${map}metadata: {name: ""}\n`,
  'a name of null': `${map}metadata: {name: null}\n`,
  'a name to be made': `${map}metadata: {generateName: m-}\n`,
  'in a list': 'apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {labels: {a: b}}}]\n',
};

/** Command lines that read such a file, and their errors. */
const lines: readonly (readonly [line: string, said: RegExp])[] = [
  ['delete -f -', /^error: error when deleting "STDIN": resource name may not be empty\n$/],
  ['delete -f - --ignore-not-found --wait=false', /resource name may not be empty/],
  ['delete -f - --dry-run=server', /resource name may not be empty/],
  ['delete -f - --force --grace-period=0', /resource name may not be empty/],
  ['describe -f -', /^error: resource name may not be empty\n$/],
  ['edit -f -', /^error: resource name may not be empty\n$/],
  ['label -f - a=b --overwrite', /^error: resource name may not be empty\n$/],
  ['annotate -f - a=b', /^error: resource name may not be empty\n$/],
  ['patch -f - -p {}', /^error: resource name may not be empty\n$/],
  [
    'apply -f -',
    /cannot use generate name with apply|error when retrieving current configuration of:\n.*\nName: "", .*\nfrom server for: "STDIN": resource name/,
  ],
  [
    'apply -f - --server-side',
    /^error: (resource name may not be empty|from m-: cannot use generate name with apply)\n$/,
  ],
  ['apply set-last-applied -f -', /resource name may not be empty/],
  ['diff -f -', /^error: resource name may not be empty\n$/],
  ['replace -f -', /^error: error when replacing "STDIN": resource name may not be empty\n$/],
  ['replace --force -f -', /resource name may not be empty/],
  ['wait -f - --for=delete', /^error: resource name must be provided\n$/],
  ['wait -f - --for=condition=x', /^error: resource name must be provided\n$/],
];

const ofDeployments: readonly string[] = [
  'scale --replicas=0 -f -',
  'rollout restart -f -',
  'rollout pause -f -',
  'rollout undo -f -',
  'rollout status -f -',
  'rollout history -f -',
  'delete -f -',
];

/** Arguments with names that no object can have. */
const inArguments: readonly (readonly [line: string, said: RegExp])[] = [
  ['delete configmaps ""', /^error: resource name may not be empty\n$/],
  ['delete configmaps "" ""', /resource name may not be empty/],
  ['delete configmaps/', /must have a single resource and name/],
  ['delete configmaps ..', /^error: invalid resource name "\.\.": \[may not be '\.\.'\]\n$/],
  ['delete configmaps a -n ..', /^error: invalid namespace "\.\."/],
  ['delete configmaps a/..', /no need to specify a resource type/],
  ['delete configmaps a%2f', /may not contain '%'/],
  ['delete --all', /at least one resource must be specified to use a selector/],
  ['delete -l a=b', /at least one resource must be specified to use a selector/],
  ['delete configmaps', /no name was specified/],
  ['delete configmaps/a --all', /selectors and the all flag cannot be used when passing resource\/name arguments/],
  ['label configmaps "" a=b', /^error: resource name may not be empty\n$/],
  ['label configmaps --all -l a=b c=d', /cannot set --all and --selector at the same time/],
  ['scale deployments "" --replicas=0', /^error: no objects passed to scale resource name may not be empty\n$/],
  ['taint nodes "" a=b:NoSchedule', /^error: resource name may not be empty\n$/],
  ['cordon ""', /^error: resource name may not be empty\n$/],
  ['drain "" --force', /^error: resource name may not be empty\n$/],
  ['wait configmaps "" --for=delete', /^error: resource name may not be empty\n$/],
  ['exec "" -- ls', /pod, type\/name or --filename must be specified/],
  ['logs ""', /resource name may not be empty/],
  ['create configmap ""', /^error: name must be specified\n$/],
];

describe('objects without a name', () => {
  let server: FakeServer;
  beforeEach(() => {
    server = new FakeServer([configMaps, deployments, nodes, pods]);
    for (const name of ['a', 'b']) {
      server.put(configMaps, { metadata: { name, namespace: 'default' } });
      server.put(deployments, { metadata: { name, namespace: 'default' }, spec: { replicas: 1 } });
      server.put(nodes, { metadata: { name } });
    }
  });

  /** Checks that the command line fails with these words, and that it sent no changes. */
  async function isRefused(line: string, said: RegExp, input = ''): Promise<void> {
    const { stdout, stderr, code } = await runLine(wordsOf(line), {
      client: server.client,
      input,
      env: { EDITOR: 'true' },
    });
    assert.match(stderr, said);
    assert.equal(code, line.startsWith('diff') ? 2 : 1);
    assert.equal(stdout, '');
    assert.deepEqual(server.writes, []);
  }

  for (const [what, input] of Object.entries(files))
    for (const [line, said] of lines) it(`${line}: ${what}`, () => isRefused(line, said, input));
  for (const line of ofDeployments) it(line, () => isRefused(line, /resource name may not be empty/, deployment));
  for (const [line, said] of inArguments) it(line, () => isRefused(line, said));

  it('get -f prints <unknown> as their name', async () => {
    const outcome = await runLine(['get', '-f', '-', '-o', 'name'], {
      client: server.client,
      input: files['no name']!,
    });
    assert.deepEqual(outcome, { stdout: 'configmap/<unknown>\n', stderr: '', code: 0 });
  });

  it('do not stop the other objects in the file', async () => {
    const input = `${map}metadata: {name: b}\n---\n${map}metadata: {labels: {a: b}}\n`;
    const { stdout, stderr } = await runLine(['delete', '-f', '-'], { client: server.client, input });
    assert.equal(stdout, 'configmap "b" deleted\n');
    assert.match(stderr, /resource name may not be empty/);
    assert.deepEqual(
      server.all(configMaps).map(({ metadata }) => metadata.name),
      ['a'],
    );
  });
});
