import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { pino } from 'pino';
import { createNaming } from '#base/naming/create-naming.ts';
import { CN, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import { type ConnectedClient, connect } from '#client/client.ts';
import { isNotFound } from '#client/errors.ts';
import { coordinationV1, coreV1 } from '#client/generated/resources.ts';
import { openPortForward } from '#client/streams/port-forward.ts';
import { remoteCommand } from '#client/streams/remote-command.ts';
import { adminConnection } from '#client/testing/test-connection.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { parseFlagTable } from '#program/flags/parse-flag-table.ts';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica } from '#server/testing/replica.ts';
import { flagTable, type NodesFlag } from './flag-table.ts';
import type { Simulation } from './simulation.ts';
import { startNodes } from './start-nodes.ts';

const naming = createNaming('orch');

const STAGES = `
apiVersion: nodes.config.orch.io/v1alpha1
kind: PodStages
stages:
- name: evict
  match: {annotations: {orch.io/simulate-note: evict}, phases: [Running]}
  delay: 100ms
  next: {reason: Evicted, message: out of space, event: {type: Warning, reason: Evicted, message: out of space}}
- name: sick
  match: {annotations: {orch.io/simulate-note: sick}, ready: true}
  next: {wishes: {unready: 'true'}}
`;

/** The parts of metrics that the tests read. */
interface Measured {
  readonly items?: readonly { readonly metadata: { readonly name: string } }[];
  readonly containers?: readonly { readonly usage: Readonly<Record<string, string>> }[];
}

describe('simulated nodes, with an API server that authorizes them as nodes', function () {
  this.timeout(30_000);
  let client: ConnectedClient;
  let simulation: Simulation;
  const cleanUp: (() => Promise<unknown>)[] = [];

  const pods = () => client.resource(coreV1.pods).in('default');
  const nodes = () => client.resource(coreV1.nodes);
  const annotate = (name: string, short: string, value: string | null) =>
    nodes().patch(name, 'merge', { metadata: { annotations: { [naming.key(short)]: value } } });
  const run = async (name: string, node: string, annotations: Record<string, string> = {}) => {
    const keyed = Object.entries(annotations).map(([short, value]) => [naming.key(`simulate-${short}`), value]);
    const spec = { nodeName: node, containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false };
    await pods().create({ metadata: { name, annotations: Object.fromEntries(keyed) }, spec });
  };
  const readyOf = async (name: string) =>
    (await pods().get(name)).status?.conditions?.find(({ type }) => type === 'Ready')?.status;

  before(async () => {
    const etcd = await startBootstrappedEtcd();
    cleanUp.push(() => etcd.stop());
    const replica = await startReplica(etcd.endpoint, '--enable-admission-plugins=NodeRestriction');
    cleanUp.push(() => replica.stop());
    client = await connect(adminConnection(replica));
    cleanUp.push(() => client.close());
    await client
      .resource(coreV1.serviceaccounts)
      .in('default')
      .create({ metadata: { name: 'default' } });
    const folder = mkdtempSync(path.join(tmpdir(), 'nodes-'));
    const write = (name: string, text: string) => {
      writeFileSync(path.join(folder, name), text);
      return path.join(folder, name);
    };
    // A certificate for names other than the one that the API server uses for metrics.
    const made = makeCertificate({ subject: [[CN, 'n']], usages: [SERVER_AUTH], hosts: ['localhost'], to: 1 });
    const argv = [
      ...['--nodes=2', '--zones=east,west', '--node-lease-duration=400ms', '--port=0'],
      `--stages=${write('stages.yaml', STAGES)}`,
      `--tls-cert-file=${write('a.crt', made.pem)}`,
      `--tls-private-key-file=${write('a.key', made.keyPem)}`,
    ];
    const invocation = parseFlagTable<NodesFlag>(argv, flagTable);
    assert.ok('flags' in invocation);
    const stop = new AbortController();
    const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
    const nodes = await startNodes(invocation.flags, client, log, stop.signal);
    simulation = nodes.simulation;
    const ran = nodes.ended;
    cleanUp.push(() => {
      stop.abort();
      return ran;
    });
  });

  after(async () => {
    for (const clean of cleanUp.reverse()) await clean();
  });

  it('register and become ready', async () => {
    await waitUntil('there are two nodes', async () => (await nodes().list()).items.length === 2);
    const { metadata, spec, status } = await nodes().get('node-1');
    assert.equal(metadata.labels?.[naming.key('topology/zone')], 'west');
    assert.equal(spec?.podCIDR, '10.244.1.0/24');
    assert.equal(status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
    assert.equal(status?.allocatable?.['cpu'], '8');
  });

  it('renew their leases', async () => {
    const leases = client.resource(coordinationV1.leases).in(naming.prefixed('node-lease'));
    const timeOf = async () => (await leases.get('node-0').catch(() => undefined))?.spec?.renewTime;
    const first = await waitUntil('there is a lease', timeOf);
    await waitUntil('it is renewed', async () => (await timeOf()) !== first);
  });

  it('start and stop pods', async () => {
    await run('p', 'node-0');
    await waitUntil('it is ready', async () => (await readyOf('p')) === 'True');
    const { status } = await pods().get('p');
    assert.equal(status?.phase, 'Running');
    assert.match(status?.podIP ?? '', /^10\.244\.0\.\d+$/);
    await pods().delete('p');
    await waitUntil('it has gone', async () =>
      isNotFound(
        await pods()
          .get('p')
          .catch((error: unknown) => error),
      ),
    );
  });

  it('answer logs, exec, attach and port-forward with texts that say they are simulated', async () => {
    await run('asked', 'node-0');
    await waitUntil('it is ready', async () => (await readyOf('asked')) === 'True');
    const path = '/api/v1/namespaces/default/pods/asked';
    const text = async (query: string) => (await client.call({ method: 'GET', path: `${path}/log${query}` })).text;
    const log = await text('');
    assert.match(log, /^simulated: container c of pod default\/asked on node-0: nothing runs\n/);
    assert.match(log, /simulated: Started: Started container c\n$/);
    assert.match(await text('?tailLines=1&timestamps=true'), /^\d{4}-\S+Z simulated: Started: .*\n$/);
    await assert.rejects(text('?previous=true'), /previous terminated container "c" in pod "asked" not found/);
    const output = (stream: PassThrough) => stream.read()?.toString() as string;
    const exec = async (...command: string[]) => {
      const stdout = new PassThrough();
      const query = [...command.map((word) => `command=${encodeURIComponent(word)}`), 'stdout=true'].join('&');
      const { code } = await remoteCommand(client, { path: `${path}/exec?${query}` }, { stdout });
      return [code, output(stdout)];
    };
    const says = 'simulated: container c of pod default/asked on node-0 would run:';
    assert.deepEqual(await exec('ls', '-l'), [0, `${says} ls -l\n`]);
    assert.deepEqual(await exec('sh', '-c', 'exit 3'), [3, `${says} sh -c exit 3\n`]);
    const stdout = new PassThrough();
    const stdin = Readable.from([Buffer.from('typed\n')]);
    await remoteCommand(client, { path: `${path}/attach?stdin=true&stdout=true` }, { stdin, stdout });
    assert.match(output(stdout), /^simulated: attached to container c .*\ntyped\n$/);
    const forward = await openPortForward(client, { path: `${path}/portforward` });
    const { data } = await forward.connect(80);
    data.write('GET / HTTP/1.1\r\n\r\n');
    assert.match(await readAll(data), /\r\n\r\nsimulated: port 80 of pod default\/asked on node-0\n$/);
    forward.close();
    await pods().delete('asked');
  });

  it('apply a file of stages to pods', async () => {
    await run('evicted', 'node-1', { note: 'evict' });
    await waitUntil('it is evicted', async () => (await pods().get('evicted')).status?.reason === 'Evicted');
    const { status } = await pods().get('evicted');
    assert.deepEqual([status?.phase, status?.message], ['Failed', 'out of space']);
    await run('sick', 'node-1', { note: 'sick' });
    await waitUntil('it was ready, and is not any more', async () => {
      const found = await pods().get('sick');
      return found.status?.phase === 'Running' && (await readyOf('sick')) === 'False';
    });
    await pods().delete('sick');
    await pods().delete('evicted');
  });

  it('follow the annotations of pods', async () => {
    await run('crash', 'node-1', { seconds: '0', 'exit-code': '2' });
    await waitUntil('it waits to be started again', async () => {
      const [container] = (await pods().get('crash')).status?.containerStatuses ?? [];
      return container?.state?.waiting?.reason === 'CrashLoopBackOff' && container.restartCount === 1;
    });
    const { status } = await pods().get('crash');
    assert.equal(status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode, 2);
    await pods().delete('crash');
  });

  it('report the usage of their pods through the API server', async () => {
    await run('used', 'node-0', { cpu: '250m' });
    const read = (path: string) => client.getJson<Measured>(`/apis/metrics.orch.io/v1beta1/${path}`);
    const cpuOf = async () => (await read('namespaces/default/pods/used')).containers?.[0]?.usage['cpu'];
    await waitUntil('there are metrics', () => cpuOf().catch(() => undefined), 10_000);
    assert.equal(await cpuOf(), '250000000n');
    const all = await read('nodes');
    assert.deepEqual(all.items?.map(({ metadata }) => metadata.name).sort(), ['node-0', 'node-1']);
    const none = await read('pods?labelSelector=a%3Db');
    assert.deepEqual(none.items, []);
    await assert.rejects(read('nodes/other'), isNotFound);
  });

  it('stop while they are down and continue afterwards', async () => {
    await annotate('node-0', 'simulate-down', 'true');
    await waitUntil('it knows', () => simulation.nodes.get('node-0')?.isDown);
    await run('late', 'node-0');
    await run('other', 'node-1');
    await waitUntil('the other node goes on', async () => (await readyOf('other')) === 'True');
    assert.equal(await readyOf('late'), undefined);
    await annotate('node-0', 'simulate-down', null);
    await waitUntil('it goes on', async () => (await readyOf('late')) === 'True');
  });

  it('report that they are not ready', async () => {
    const ready = async () =>
      (await nodes().get('node-1')).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    await annotate('node-1', 'simulate-not-ready', 'true');
    await waitUntil('it is not ready', async () => (await ready()) === 'False');
    await annotate('node-1', 'simulate-not-ready', null);
    await waitUntil('it is ready', async () => (await ready()) === 'True');
  });

  it('offer extended resources that a client adds until the client removes them', async () => {
    const name = 'example.com/thing';
    const offered = async () => (await nodes().get('node-1')).status?.allocatable?.[name];
    const set = (amount: string | null) =>
      nodes().patch('node-1', 'merge', { status: { capacity: { [name]: amount } } }, { subresource: 'status' });
    await set('5');
    await waitUntil('they are offered', async () => (await offered()) === '5');
    await set(null);
    await waitUntil('they are not', async () => (await offered()) === undefined);
  });

  it('refuse a pod whose host port is used', async () => {
    const ports = [{ containerPort: 80, hostPort: 8080 }];
    const spec = { nodeName: 'node-1', containers: [{ name: 'c', image: 'i', ports }] };
    const own = pods();
    const create = (name: string) =>
      own.create({ metadata: { name }, spec: { ...spec, automountServiceAccountToken: false } });
    await create('first');
    await waitUntil('it is ready', async () => (await readyOf('first')) === 'True');
    await create('second');
    await waitUntil('it is refused', async () => (await own.get('second')).status?.reason === 'NodePorts');
    for (const name of ['first', 'second']) await own.delete(name, { gracePeriodSeconds: 0 });
  });

  it('register again after they are deleted', async () => {
    const { metadata } = await nodes().get('node-1');
    await nodes().delete('node-1');
    await waitUntil('it is there again', async () => {
      const found = await nodes()
        .get('node-1')
        .catch(() => undefined);
      return found !== undefined && found.metadata.uid !== metadata.uid;
    });
  });
});
