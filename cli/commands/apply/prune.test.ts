import assert from 'node:assert/strict';
import { builtIn } from '#client/resource-type.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { wordsOf } from '#e2e/comparison/compare.ts';
import { runLine } from '../../testing/run-line.ts';

const configMaps = builtIn('', 'v1', 'configmaps', 'ConfigMap', true);
const namespaces = builtIn('', 'v1', 'namespaces', 'Namespace', false);
const secrets = builtIn('', 'v1', 'secrets', 'Secret', true);
const input = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept}\n';

describe('objects that were applied before and are in no file now', () => {
  let server: FakeServer;
  beforeEach(() => {
    server = new FakeServer([configMaps, namespaces, secrets]);
    const annotations = { [server.naming.key('ctl/last-applied-configuration')]: '{}' };
    const metadata = { namespace: 'default', annotations };
    server.put(namespaces, { metadata: { name: 'gone', annotations } });
    server.put(configMaps, { metadata: { ...metadata, name: 'gone', labels: { a: 'b' } } });
    server.put(configMaps, { metadata: { ...metadata, name: 'elsewhere', namespace: 'other' } });
    server.put(configMaps, { metadata: { name: 'made', namespace: 'default' } });
    server.put(secrets, { metadata: { ...metadata, name: 'gone' } });
  });

  const cases: readonly [flags: string, pruned: string[]][] = [
    ['--all', ['configmap/gone', 'secret/gone', 'namespace/gone']],
    ['-l a=b', ['configmap/gone']],
    ['--all --prune-allowlist=core/v1/Secret', ['secret/gone']],
  ];
  for (const [flags, pruned] of cases)
    it(`are deleted, namespaces last: ${flags}`, async () => {
      const labelled = input.replace('kept', 'kept, labels: {a: b}');
      const line = `apply -f - --prune ${flags}`;
      const { stdout, stderr, code } = await runLine(wordsOf(line), { client: server.client, input: labelled });
      assert.equal(code, 0, stderr);
      assert.deepEqual(
        stdout.trimEnd().split('\n').slice(1),
        pruned.map((name) => `${name} pruned`),
      );
    });

  const place = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: kept}\n';
  for (const [flags, pruned] of [
    ['-n other', ['configmap/elsewhere']],
    ['-n other --prune-allowlist=core/v1/ConfigMap', ['configmap/elsewhere']],
    ['--prune-allowlist=core/v1/ConfigMap', []],
  ] as const)
    it(`are searched in the namespace of -n, even if no file names an object in it: ${flags}`, async () => {
      server.remove(namespaces, 'gone');
      const words = wordsOf(`apply -f - --prune --all ${flags}`);
      const { stdout, stderr, code } = await runLine(words, { client: server.client, input: place });
      assert.equal(code, 0, stderr);
      const lines = stdout.trimEnd().split('\n').slice(1);
      assert.deepEqual(
        lines,
        pruned.map((name) => `${name} pruned`),
      );
      const env = { ...process.env, ORCHCTL_EXTERNAL_DIFF: 'diff -r -q' };
      server.put(configMaps, {
        metadata: {
          namespace: 'other',
          name: 'b',
          annotations: { [server.naming.key('ctl/last-applied-configuration')]: '{}' },
        },
      });
      const diff = await runLine(wordsOf(`diff -f - --prune ${flags}`), { client: server.client, input: place, env });
      assert.equal(/v1\.ConfigMap\.other\.b$/m.test(diff.stdout), pruned.length > 0, diff.stderr);
    });

  it('are shown as deleted by diff', async () => {
    const diff = ['diff', '-f', '-', '--prune', '--prune-allowlist=core/v1/Secret'];
    const env = { ...process.env, ORCHCTL_EXTERNAL_DIFF: 'diff -r -q' };
    const { stdout, code } = await runLine(diff, { client: server.client, input, env });
    assert.equal(code, 1);
    assert.match(stdout, /^Only in \S*LIVE\S*: v1\.Secret\.default\.gone$/m);
    assert.doesNotMatch(stdout, /ConfigMap\.default\.(gone|made)/);
  });
});
