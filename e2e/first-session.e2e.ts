import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { type EtcdContainer, startEtcdContainer } from './etcd-container.ts';
import { type Replica, startReplica, temporaryPki } from './replica.ts';
import { openWatch } from './watch-stream.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

function configMap(name: string, greeting: string, resourceVersion?: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, resourceVersion }, data: { greeting } };
}

describe('a first session with two replicas', () => {
  let etcd: EtcdContainer;
  let first: Replica;
  let second: Replica;
  const stops: (() => Promise<void>)[] = [];

  before(async () => {
    etcd = await startEtcdContainer();
    stops.push(() => etcd.stop());
    const pki = temporaryPki();
    first = await startReplica(pki, etcd.url);
    stops.push(() => first.stop());
    second = await startReplica(pki, etcd.url);
    stops.push(() => second.stop());
  });

  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  // A retry of a test must not find its earlier objects.
  beforeEach(() => first.request('DELETE', configMaps));

  it('reads from one replica what was written to the other', async () => {
    const created = await first.request('POST', configMaps, configMap('read-across', 'hi'));
    assert.equal(created.status, 201, created.body);
    const read = await second.request('GET', `${configMaps}/read-across`);
    assert.equal(read.status, 200, read.body);
    assert.deepEqual(JSON.parse(read.body), JSON.parse(created.body));
  });

  it('watches at one replica what happens at the other', async () => {
    const list = await second.request('GET', configMaps);
    const { resourceVersion } = (JSON.parse(list.body) as { metadata: { resourceVersion: string } }).metadata;
    const watch = await openWatch(second, `${configMaps}?watch=1&resourceVersion=${resourceVersion}`);
    try {
      const created = await first.request('POST', configMaps, configMap('watch-across', 'hi'));
      const version = (JSON.parse(created.body) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
      await first.request('PUT', `${configMaps}/watch-across`, configMap('watch-across', 'hello', version));
      await first.request('DELETE', `${configMaps}/watch-across`);
      const events = [await watch.next(), await watch.next(), await watch.next()];
      assert.deepEqual(
        events.map(({ type, object }) => [type, object.metadata.name]),
        ['ADDED', 'MODIFIED', 'DELETED'].map((type) => [type, 'watch-across']),
      );
      assert.equal(events[0]?.object.metadata.resourceVersion, version);
    } finally {
      watch.close();
    }
  });

  it('lets only one of two parallel updates win', async () => {
    const created = await first.request('POST', configMaps, configMap('race', 'start'));
    const version = (JSON.parse(created.body) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    const answers = await Promise.all(
      [first, second].map((replica, i) =>
        replica.request('PUT', `${configMaps}/race`, configMap('race', `writer ${i}`, version)),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  });

  it('keeps all objects when a replica restarts', async () => {
    await first.request('POST', configMaps, configMap('kept', 'still here'));
    await second.stop();
    second = await startReplica(second.pki, etcd.url);
    const read = await second.request('GET', `${configMaps}/kept`);
    assert.equal(read.status, 200, read.body);
  });

  it('refuses data that was written with another naming', async () => {
    const pki = temporaryPki('kubernetes');
    await assert.rejects(
      startReplica(pki, etcd.url, { profile: 'kubernetes' }),
      new RegExp(createNaming('orch').profile),
    );
  });
});
