import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiError } from '#client/errors.ts';
import { builtIn } from '#client/resource-type.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { runLine } from '../../testing/run-line.ts';

const types = [
  builtIn('', 'v1', 'nodes', 'Node', false),
  builtIn('', 'v1', 'namespaces', 'Namespace', false),
  ...[
    ['', 'events', 'Event'],
    ['', 'replicationcontrollers', 'ReplicationController'],
    ['', 'services', 'Service'],
    ['apps', 'daemonsets', 'DaemonSet'],
    ['apps', 'deployments', 'Deployment'],
    ['apps', 'replicasets', 'ReplicaSet'],
    ['', 'pods', 'Pod'],
  ].map(([group, plural, kind]) => builtIn(group!, 'v1', plural!, kind!, true)),
];

describe('cluster-info dump into a folder', () => {
  let folder: string;
  let server: FakeServer;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'orchctl-dump-'));
    server = new FakeServer(types);
    server.handle((_, place) => {
      if (place.endsWith('/log')) throw new ApiError(400, { kind: 'Status', code: 400, message: 'it runs nowhere' });
    });
    server.put(types.at(-1)!, { metadata: { name: 'p', namespace: 'a' }, spec: { containers: [{ name: 'c' }] } });
    for (const name of ['a', 'b']) server.put(types[1]!, { metadata: { name } });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const lists = (extension: string) =>
    ['daemonsets', 'deployments', 'events', 'pods', 'replicasets', 'replication-controllers', 'services'].map(
      (name) => `${name}${extension}`,
    );
  const cases: readonly [flags: string[], extension: string, namespaces: string[]][] = [
    [['-A'], '.json', ['a', 'b']],
    [['--namespaces=a', '-o', 'yaml'], '.yaml', ['a']],
    [['--namespaces=b', '-o', 'jsonpath={.kind}'], '.txt', ['b']],
  ];
  for (const [flags, extension, namespaces] of cases)
    it(`writes a file for each list: ${flags.join(' ')}`, async () => {
      const line = ['cluster-info', 'dump', ...flags, `--output-directory=${folder}`];
      const { stdout, stderr, code } = await runLine(line, { client: server.client });
      assert.deepEqual({ stdout, stderr, code }, { stdout: `Cluster info dumped to ${folder}\n`, stderr: '', code: 0 });
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => path.extname(name) !== '')
        .sort();
      const logs = namespaces.includes('a') ? ['a/p/logs.txt'] : [];
      const expected = [
        ...namespaces.flatMap((name) => lists(extension).map((file) => `${name}/${file}`)),
        ...logs,
        `nodes${extension}`,
      ];
      assert.deepEqual(files, expected.sort());
    });

  it('reports a log that it cannot read, and continues', async () => {
    await runLine(['cluster-info', 'dump', '-A', `--output-directory=${folder}`], { client: server.client });
    const lines = readFileSync(path.join(folder, 'a/p/logs.txt'), 'utf8').trimEnd().split('\n');
    assert.equal(lines[0], '==== START logs for container c of pod a/p ====');
    assert.equal(lines[1], 'Request log error: the server rejected our request for an unknown reason (get pods p)');
    assert.equal(lines[2], '==== END logs for container c of pod a/p ====');
  });
});
