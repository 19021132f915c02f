import assert from 'node:assert/strict';
import type { ConfigMap } from '#schema/generated/core.v1.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type ConnectedClient, connect } from './client.ts';
import { Discovery, discover } from './discovery/discovery.ts';
import { isAlreadyExists, isConflict, isNotFound } from './errors.ts';
import { appsV1, coreV1 } from './generated/resources.ts';
import { SharedInformers } from './informer/shared-informers.ts';
import { adminConnection } from './testing/test-connection.ts';
import { waitUntil } from './testing/wait-until.ts';

describe('client', () => {
  let replica: TestReplica;
  let client: ConnectedClient;
  // This happens before the replica is stopped, because the replica waits for connections to end.
  after(() => client?.close());
  aroundAll((started) => {
    replica = started;
  });
  before(async () => {
    client = await connect(adminConnection(replica));
  });
  const maps = () => client.resource(coreV1.configmaps).in('default');

  it('creates, reads, updates, patches, applies and deletes', async () => {
    const made = await maps().create({ metadata: { name: 'a' }, data: { x: '1' } });
    assert.ok(made.metadata.uid);
    await assert.rejects(maps().create({ metadata: { name: 'a' } }), isAlreadyExists);
    const changed = await maps().update({ ...made, data: { x: '2' } });
    await assert.rejects(maps().update({ ...made, data: { x: '3' } }), isConflict);
    const stale = { metadata: { resourceVersion: made.metadata.resourceVersion }, data: { x: '4' } };
    await assert.rejects(maps().patch('a', 'merge', stale), isConflict);
    const { uid, resourceVersion } = changed.metadata;
    const patched = await maps().patch('a', 'merge', { metadata: { uid, resourceVersion }, data: { y: '5' } });
    assert.deepEqual(patched.data, { x: '2', y: '5' });
    const applied = await maps().apply({ metadata: { name: 'a' }, data: { z: '6' } }, { fieldManager: 'test' });
    assert.deepEqual(applied.data, { x: '2', y: '5', z: '6' });
    await assert.rejects(maps().delete('a', { preconditions: { uid: 'other' } }), isConflict);
    await maps().delete('a', { preconditions: { uid } });
    await assert.rejects(maps().get('a'), isNotFound);
    assert.equal((await maps().create({ metadata: { name: 'dry' } }, { dryRun: true })).metadata.name, 'dry');
    await assert.rejects(maps().get('dry'), isNotFound);
  });

  it('lists pages, lists with selectors, and lists only metadata', async () => {
    for (let i = 0; i < 7; i++)
      await maps().create({
        metadata: { name: `page-${i}`, labels: { odd: String(i % 2 === 1) } },
        data: { i: String(i) },
      });
    const sizes: number[] = [];
    for await (const page of maps().pages({ limit: 3, labelSelector: 'odd' })) sizes.push(page.items.length);
    assert.deepEqual(sizes, [3, 3, 1]);
    const odd = await maps().metadataOnly().list({ labelSelector: 'odd=true' });
    assert.deepEqual(
      odd.items.map((item) => [item.metadata.name, (item as Partial<ConfigMap>).data]),
      [1, 3, 5].map((i) => [`page-${i}`, undefined]),
    );
    assert.equal(
      (await client.resource(coreV1.configmaps).list({ fieldSelector: 'metadata.name=page-1' })).items.length,
      1,
    );
    await maps().deleteCollection({ labelSelector: 'odd' });
    assert.equal((await maps().list({ labelSelector: 'odd' })).items.length, 0);
  });

  it('watches changes', async () => {
    const { metadata } = await maps().list();
    const stop = new AbortController();
    const events = await maps().watch({ resourceVersion: metadata.resourceVersion, signal: stop.signal });
    await maps().create({ metadata: { name: 'watched' } });
    await maps().delete('watched');
    const seen: string[] = [];
    for await (const { type, object } of events) {
      seen.push(`${type} ${object.metadata.name}`);
      if (seen.length === 2) break;
    }
    assert.deepEqual(seen, ['ADDED watched', 'DELETED watched']);
    stop.abort();
  });

  it('uses subresources', async () => {
    const deployments = client.resource(appsV1.deployments).in('default');
    const labels = { app: 'a' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const made = await deployments.create({
      metadata: { name: 'web' },
      spec: { selector: { matchLabels: labels }, template },
    } as never);
    const withStatus = { ...made, status: { replicas: 2 } };
    assert.equal((await deployments.update(withStatus, { subresource: 'status' })).status?.replicas, 2);
    const scale = { spec: { replicas: 3 } };
    await deployments.patch('web', 'merge', scale, { subresource: 'scale' });
    assert.equal((await deployments.get('web')).spec?.replicas, 3);
    await deployments.delete('web', { propagationPolicy: 'Background' });
  });

  it('discovers the served resources and finds them by any of their names', async () => {
    const discovery = new Discovery(client);
    const discovered = await discovery.get();
    assert.equal(discovered, await discovery.get());
    assert.equal(discovered.failed.size, 0);
    for (const name of ['deployments', 'deployment', 'deploy', 'deployments.apps', 'deployments.v1.apps'])
      assert.equal(discovered.named(name)?.kind, 'Deployment', name);
    assert.equal(discovered.ofKind('apps/v1', 'Deployment')?.plural, 'deployments');
    assert.equal(discovered.ofKind('v1', 'Pod')?.namespaced, true);
    assert.deepEqual(discovered.named('pods')?.subresources.includes('status'), true);
    assert.ok(discovered.thatCan('list', 'watch', 'delete').every(({ verbs }) => verbs.includes('delete')));
    assert.ok(discovered.preferred().length < discovered.types.length);
  });

  it('keeps informers for discovered resources', async () => {
    const type = (await discover(client)).named('secrets')!;
    const secrets = client.resource(type).in('default');
    await secrets.create({ metadata: { name: 'a' }, stringData: { big: '1' } });
    const informers = new SharedInformers(client, { onError: (what, error) => assert.fail(`${what}: ${error}`) });
    const copy = informers.of(type);
    const stop = new AbortController();
    informers.start(stop.signal);
    await informers.ready();
    assert.equal(copy.size, 1);
    await secrets.create({ metadata: { name: 'b' } });
    await waitUntil('the second one has come', () => copy.size === 2);
    assert.equal(copy.get('default/a')?.['data'], undefined, 'metadata only');
    stop.abort();
  });
});

describe('client of a server with the naming kubernetes', () => {
  it('detects the naming of the server', async () => {
    const etcd = await EtcdProcess.start();
    const replica = await startReplica(etcd.endpoint, '--naming=kubernetes');
    const client = await connect(adminConnection(replica));
    try {
      assert.equal(client.naming.profile, 'kubernetes');
      const roles = await client.resource(coreV1.namespaces).metadataOnly().get(client.naming.prefixed('system'));
      assert.equal(roles.metadata.name, 'kube-system');
    } finally {
      await client.close();
      await replica.stop();
      await etcd.stop();
    }
  });
});
