import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startReplica } from '#server/testing/replica.ts';
import type { DataStore } from '#storage/data-store.ts';
import { openEmbeddedStore } from '#storage-embedded/embedded-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { run } from './run.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const EVENTS = '/api/v1/namespaces/default/events';

/** Everything under the prefix, except the stores' own keys. */
async function contents(store: DataStore): Promise<Map<string, string>> {
  const { items } = await store.list('/registry/', {});
  return new Map(items.filter(({ key }) => !key.includes('/store:')).map(({ key, value }) => [key, value.toString()]));
}

describe('orch-storage with embedded stores', function () {
  this.timeout(120_000);
  let folder: string;
  let etcd: EtcdProcess;
  let file: string;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'copy-'));
    file = path.join(folder, 'store');
    etcd = await EtcdProcess.start();
    const replica = await startReplica(etcd.endpoint);
    for (const name of ['a', 'b', 'c'])
      assert.equal((await replica.call('POST', MAPS, { body: { metadata: { name } } })).status, 201);
    const event = { metadata: { name: 'e' }, involvedObject: { namespace: 'default' }, reason: 'R', type: 'Normal' };
    assert.equal((await replica.call('POST', EVENTS, { body: event })).status, 201);
    await replica.stop();
  });

  after(async () => {
    await etcd.stop();
    rmSync(folder, { recursive: true });
  });

  async function tool(...words: string[]): Promise<{ code: number; out: string; err: string }> {
    let [out, err] = ['', ''];
    const code = await run(words, {
      out: { write: (text) => (out += text) },
      err: { write: (text) => (err += text) },
    });
    return { code, out, err };
  }

  async function from<T>(look: (store: DataStore) => Promise<T>, endpoint = etcd.endpoint): Promise<T> {
    const store = endpoint.startsWith('http')
      ? createEtcdStore({ endpoints: [endpoint] })
      : await openEmbeddedStore({ file: endpoint });
    try {
      return await look(store);
    } finally {
      await store.close();
    }
  }

  it('copies an etcd to a file and continues an interrupted copy', async () => {
    const revision = await from((store) => store.currentRevision());
    // The state after a copy that stopped after one key, with one wrong value and one surplus key.
    const half = await openEmbeddedStore({ file });
    const id = await from((store) => store.clusterId());
    await half.create('/registry/store:copy', Buffer.from(id));
    await half.create('/registry/core/configmaps/default/a', Buffer.from('not so'));
    await half.create('/registry/core/configmaps/default/z', Buffer.from('gone since'));
    await half.close();

    const { code, out, err } = await tool('copy', etcd.endpoint, `sqlite://${file}`);
    assert.equal(code, 0, err);
    assert.match(out, /keys copied and compared; sqlite:.* is at revision \d+/);
    assert.deepEqual(await from(contents, file), await from(contents));
    assert.equal(await from((store) => store.get('/registry/store:copy'), file), undefined);
    const { items } = await from((store) => store.list('/registry/', {}), file);
    assert.ok(items.every((item) => item.revision > revision));
  });

  it('verify, status, get and backup work on a file', async () => {
    const flag = `--datastore-endpoint=sqlite://${file}`;
    const verified = await tool('verify', flag);
    assert.equal(verified.code, 0, verified.out + verified.err);
    assert.match(verified.out, /0 findings/);
    const status = JSON.parse((await tool('status', flag, '-o', 'json')).out);
    assert.equal(status.members[0].version, 'file');
    assert.ok(status.resources.find(({ resource }: never) => resource === 'core/configmaps').objects >= 3);
    assert.match((await tool('get', 'core/configmaps/default/a', flag)).out, /"name": "a"/);
    const event = JSON.parse((await tool('get', 'core/events/default/e', flag)).out);
    assert.notEqual(event.lease, '0');
    const saved = path.join(folder, 'saved');
    const backup = await tool('backup', saved, flag);
    assert.equal(backup.code, 0, backup.err);
    assert.ok(existsSync(`${saved}.json`));
    assert.deepEqual(await from(contents, saved), await from(contents, file));
    assert.equal((await tool('compact', flag)).code, 0);
    assert.equal((await tool('defrag', flag)).code, 0);
    assert.deepEqual(await from(contents, saved), await from(contents, file));
  });

  it('copies a file to an etcd whose revisions increase, and a replica serves it', async () => {
    const other = await EtcdProcess.start();
    try {
      const revision = await from((store) => store.currentRevision(), file);
      const { code, err } = await tool('copy', `sqlite://${file}`, other.endpoint);
      assert.equal(code, 0, err);
      assert.deepEqual(await from(contents, other.endpoint), await from(contents));
      assert.ok((await from((store) => store.currentRevision(), other.endpoint)) > revision);
      const { items } = await from((store) => store.list('/registry/', {}), other.endpoint);
      assert.ok(items.filter(({ key }) => !key.includes('/store:')).every((item) => item.revision > revision));
      const replica = await startReplica(other.endpoint);
      const { json } = await replica.call('GET', `${MAPS}/a`);
      assert.equal(json.metadata.name, 'a');
      await replica.stop();
    } finally {
      await other.stop();
    }
  });

  it('refuses to overwrite data of another store, and invalid endpoints', async () => {
    const refused = async (words: string[], what: RegExp) => {
      const { code, err } = await tool(...words);
      assert.equal(code, 2);
      assert.match(err, what);
    };
    await refused(
      ['copy', etcd.endpoint, `sqlite://${file}`],
      /has data of its own under \/registry: copy to an empty/,
    );
    await refused(['copy', etcd.endpoint], /copy needs two endpoints/);
    await refused(['copy', etcd.endpoint, 'memory:'], /neither an address of etcd nor sqlite:/);
    await refused(['status', `--datastore-endpoint=sqlite://${folder}/none`], /there is no file .*none/);
    const open = await openEmbeddedStore({ file });
    await refused(['status', `--datastore-endpoint=sqlite://${file}`], /is in use by process/);
    await open.close();
  });
});
