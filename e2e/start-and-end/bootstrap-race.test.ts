import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { defaultRelease } from '#base/release/release.ts';
import { bootstrapPolicy } from '#server/authorization/rbac/bootstrap-policy.ts';
import { MANDATORY_FLOW_SCHEMAS, mandatoryPriorityLevels } from '#server/kinds/flowcontrol/mandatory.ts';
import { SYSTEM_PRIORITY_CLASSES } from '#server/kinds/scheduling/priority-class.ts';
import { startLoggingReplica, type TestAnswer, type TestReplica, testNaming } from '#server/testing/replica.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const api = (group: string, version: string): string => `/apis/${testNaming.apiVersion(group, version)}`;
const RBAC = api('rbac.authorization', 'v1');
const REPLICAS = 4;

describe('replicas that start at the same time on an empty etcd', function () {
  this.timeout(60_000);
  let etcd: EtcdProcess;
  let replicas: TestReplica[] = [];
  const complaints: string[] = [];

  before(async () => {
    etcd = await EtcdProcess.start();
    const log = pino({ level: 'warn' }, { write: (line: string) => void complaints.push(line) });
    replicas = await Promise.all(
      Array.from({ length: REPLICAS }, () => startLoggingReplica(log, etcd.endpoint, '--livez-grace-period=0s')),
    );
  });

  after(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await etcd?.stop();
  });

  const items = async (path: string, replica = replicas[0]!): Promise<TestAnswer['json'][]> =>
    (await replica.call('GET', path)).json.items;
  const names = async (path: string) => (await items(path)).map(({ metadata }) => metadata.name);
  const includes = (all: readonly string[], wanted: readonly string[]) =>
    assert.deepEqual(
      wanted.filter((name) => !all.includes(name)),
      [],
    );

  it('become ready soon and log no error', async () => {
    for (const replica of replicas) {
      const end = performance.now() + 10_000;
      for (;;) {
        const { status, text } = await replica.call('GET', '/readyz?verbose');
        if (status === 200) break;
        assert.ok(performance.now() < end, text);
        await sleep(50);
      }
    }
    assert.deepEqual(complaints, []);
  });

  it('create the complete bootstrap policy', async () => {
    const policy = bootstrapPolicy(testNaming, defaultRelease);
    for (const [plural, wanted] of [
      ['clusterroles', policy.clusterRoles],
      ['clusterrolebindings', policy.clusterRoleBindings],
      ['roles', policy.roles],
      ['rolebindings', policy.roleBindings],
    ] as const) {
      const stored = new Map(
        (await items(`${RBAC}/${plural}`)).map((one) => [`${one.metadata.namespace ?? ''}/${one.metadata.name}`, one]),
      );
      assert.equal(stored.size, wanted.length, plural);
      for (const { name, namespace = '', labels, annotations, ...content } of wanted) {
        const { metadata, ...rest } = stored.get(`${namespace}/${name}`);
        assert.deepEqual(metadata.labels, labels);
        assert.deepEqual(metadata.annotations, annotations);
        for (const field of Object.keys(content)) {
          assert.deepEqual(rest[field], (content as Record<string, unknown>)[field], `${plural} ${name} ${field}`);
        }
      }
    }
  });

  it('create all other bootstrap objects', async () => {
    const flowControl = api('flowcontrol.apiserver', 'v1beta2');
    includes(await names('/api/v1/namespaces'), [
      'default',
      ...['node-lease', 'public', 'system'].map((name) => testNaming.prefixed(name)),
    ]);
    includes(
      await names(`${api('scheduling', 'v1')}/priorityclasses`),
      SYSTEM_PRIORITY_CLASSES.map(({ name }) => name),
    );
    includes(
      await names(`${flowControl}/prioritylevelconfigurations`),
      Object.keys(mandatoryPriorityLevels(defaultRelease)),
    );
    includes(await names(`${flowControl}/flowschemas`), Object.keys(MANDATORY_FLOW_SCHEMAS));
    includes(await names(`${api('apiregistration', 'v1')}/apiservices`), ['v1.', 'v1.apps', 'v2.autoscaling']);
    assert.deepEqual(await names('/api/v1/namespaces/default/services'), ['orch']);
    includes(await names('/api/v1/namespaces/default/limitranges'), ['limits']);
  });

  it('agree on every object and do not rewrite objects that are right', async () => {
    const collections = [`${RBAC}/clusterroles`, `${RBAC}/rolebindings`, '/api/v1/namespaces', '/api/v1/services'];
    for (const path of collections) {
      const seen = await Promise.all(replicas.map((replica) => items(path, replica)));
      for (const other of seen) assert.deepEqual(other, seen[0]);
    }
    const versions = async () =>
      (await items(`${RBAC}/clusterroles`)).map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`);
    const before = await versions();
    const late = await startLoggingReplica(pino({ level: 'silent' }), etcd.endpoint);
    assert.equal((await late.call('GET', '/readyz')).status, 200);
    assert.deepEqual(await versions(), before, 'a replica that starts later writes nothing');
    await late.stop();
  });

  it('are all in the endpoints of the API service', async () => {
    const path = '/api/v1/namespaces/default/endpoints/orch';
    const end = performance.now() + 12_000;
    for (;;) {
      const { json } = await replicas[0]!.call('GET', path);
      const ports = (json.subsets ?? []).flatMap(({ ports }: TestAnswer['json']) =>
        ports.map(({ port }: TestAnswer['json']) => port),
      );
      if (replicas.every(({ port }) => ports.includes(port))) return;
      assert.ok(performance.now() < end, JSON.stringify(json.subsets));
      await sleep(200);
    }
  });
});
