import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createSecureContext } from 'node:tls';
import { Etcd3 } from 'etcd3';
import { StoreUnavailableError } from '#storage/object-store.ts';
import { createEtcdStore } from './etcd-store.ts';
import { EtcdProcess } from './testing/etcd-process.ts';

const value = Buffer.from('1');

describe('etcd with TLS', () => {
  let etcd: EtcdProcess;

  before(async () => {
    etcd = await EtcdProcess.start({ tls: true });
  });

  after(async () => {
    await etcd.stop();
  });

  it('is reached with its CA', async () => {
    const store = createEtcdStore({
      endpoints: [etcd.endpoint],
      tls: createSecureContext({ ca: await etcd.certificate() }),
    });
    assert.equal((await store.create('/registry/a', value)).outcome, 'written');
    for await (const batch of store.feed('/registry/', 1, { signal: AbortSignal.timeout(30_000) })) {
      assert.equal(batch.changes[0]?.key, '/registry/a');
      break;
    }
    await store.compact(2);
    await store.close();
  });

  it('is not trusted without its CA', async () => {
    const store = createEtcdStore({ endpoints: [etcd.endpoint] });
    await assert.rejects(store.get('/registry/a'), StoreUnavailableError);
    await store.close();
  });
});

describe('etcd on a Unix socket', () => {
  for (const scheme of ['unix', 'unixs'] as const) {
    it(`is reached by ${scheme}`, async () => {
      const etcd = await EtcdProcess.start({ tls: scheme === 'unixs' });
      const folder = mkdtempSync(join(tmpdir(), 'etcd-socket-'));
      const path = join(folder, 'etcd.sock');
      const port = Number(new URL(etcd.endpoint).port);
      const relay = createServer((client) => {
        const upstream = connect(port, '127.0.0.1');
        pipeline(client, upstream, client, () => {});
      }).listen(path);
      const tls = scheme === 'unixs' ? { tls: createSecureContext({ ca: await etcd.certificate() }) } : {};
      const store = createEtcdStore({ endpoints: [`${scheme}://${path}`], ...tls });
      assert.equal((await store.create('/registry/a', value)).outcome, 'written');
      for await (const batch of store.feed('/registry/', 1, { signal: AbortSignal.timeout(30_000) })) {
        assert.equal(batch.changes[0]?.key, '/registry/a');
        break;
      }
      await store.close();
      relay.close();
      await etcd.stop();
      rmSync(folder, { recursive: true });
    });
  }
});

describe('etcd with authentication', () => {
  let etcd: EtcdProcess;

  before(async () => {
    etcd = await EtcdProcess.start({ flags: ['--bcrypt-cost=4'] });
    const client = new Etcd3({ hosts: etcd.endpoint });
    await client.auth.userAdd({ name: 'root', password: 'secret' });
    await client.auth.roleAdd({ name: 'root' });
    await client.auth.userGrantRole({ user: 'root', role: 'root' });
    await client.auth.userAdd({ name: 'store', password: 'hidden' });
    await client.auth.roleAdd({ name: 'registry' });
    const perm = {
      permType: 'Readwrite' as const,
      key: Buffer.from('/registry/'),
      range_end: Buffer.from('/registry0'),
    };
    await client.auth.roleGrantPermission({ name: 'registry', perm });
    await client.auth.userGrantRole({ user: 'store', role: 'registry' });
    await client.auth.authEnable();
    client.close();
  });

  after(async () => {
    await etcd.stop();
  });

  it('serves a user that can only read and write under the prefix', async () => {
    const store = createEtcdStore({
      endpoints: [etcd.endpoint],
      readTimeoutMs: 20_000,
      auth: { user: 'store', password: 'hidden' },
    });
    const created = await store.create('/registry/a', value, 60);
    assert.equal(created.outcome, 'written');
    assert.equal((await store.get('/registry/a'))?.value.toString(), '1');
    assert.ok((await store.currentRevision()) >= created.revision);
    for await (const batch of store.feed('/registry/', created.revision - 1, { signal: AbortSignal.timeout(30_000) })) {
      assert.equal(batch.changes[0]?.key, '/registry/a');
      break;
    }
    await assert.rejects(store.get('/elsewhere'), StoreUnavailableError);
    await store.close();
  });

  it('is served again after a restart that makes its logins invalid', async () => {
    const store = createEtcdStore({
      endpoints: [etcd.endpoint],
      readTimeoutMs: 20_000,
      auth: { user: 'store', password: 'hidden' },
    });
    await store.currentRevision();
    await etcd.kill();
    await etcd.restart();
    assert.equal((await store.create('/registry/b', value)).outcome, 'written');
    await store.close();
  });

  it('fails reads with a wrong password', async () => {
    const store = createEtcdStore({
      endpoints: [etcd.endpoint],
      readTimeoutMs: 20_000,
      auth: { user: 'store', password: 'guess' },
    });
    await assert.rejects(store.get('/registry/a'), /authentication failed/);
    await store.close();
  });
});
