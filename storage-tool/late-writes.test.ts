import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming } from '#base/naming/create-naming.ts';
import { Encryption } from '#program/encryption/encryption.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { encryptedStore } from '#server/stages/encrypted-store.ts';
import type { DataStore } from '#storage/data-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import { CutProxy } from '#storage-etcd/testing/cut-proxy.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { run } from './run.ts';

const naming = createNaming('orch');
const SECRETS = '/registry/core/secrets/default';

describe('orch-storage migrate while replicas die', function () {
  this.timeout(60_000);
  let folder: string;
  let etcd: EtcdProcess;
  let proxy: CutProxy;
  let raw: DataStore;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'late-writes-'));
    etcd = await EtcdProcess.start();
    proxy = await CutProxy.start(Number(new URL(etcd.endpoint).port));
    raw = createEtcdStore({ endpoints: [etcd.endpoint] });
    await raw.create('/registry/profile', Buffer.from('{"naming":"orch"}'));
  });

  afterEach(async () => {
    await raw.close();
    await proxy.close();
    await etcd.stop();
    rmSync(folder, { recursive: true });
  });

  /** The first key encrypts. */
  function configure(...keys: number[]): string {
    const file = path.join(folder, 'encryption.yaml');
    const secret = (n: number) => Buffer.from(Array.from({ length: 32 }, (_, i) => i * 5 + n)).toString('base64');
    const list = keys.map((n) => `      - {name: key${n}, secret: ${secret(n)}}\n`).join('');
    const head = `apiVersion: ${naming.apiVersion('apiserver.config', 'v1')}\nkind: EncryptionConfiguration\n`;
    writeFileSync(file, `${head}resources:\n- resources: [secrets]\n  providers:\n  - aesgcm:\n      keys:\n${list}`);
    return file;
  }

  it('allows no late write that a dead replica encrypted with the old key', async () => {
    const file = configure(1);
    const log = { info() {}, error() {} };
    const storageOf = (group: string, plural: string) => ({ group, plural });
    const context = { naming, allowsKmsV2: false, storageOf };
    const encryption = new Encryption({ file, reloads: false, context, metrics: new MetricSet(), log });
    const dying = createEtcdStore({ endpoints: [proxy.endpoint] });
    const store = encryptedStore(dying, { prefix: '/registry', encryption, log });
    try {
      assert.equal((await store.create(`${SECRETS}/one`, Buffer.from('{}'))).outcome, 'written');
      proxy.hold();
      store.create(`${SECRETS}/late`, Buffer.from('{}')).catch(() => {});
      while (!proxy.keepsBack(`${SECRETS}/late`)) await sleep(5);
      // From here on the store does nothing more. Its requests are in flight.
      await store.close();
      proxy.strand();
      configure(2, 1);
      const code = await run(
        [`--etcd-servers=${etcd.endpoint}`, `--encryption-provider-config=${file}`, '--rate=1000', 'migrate'],
        { out: { write: () => {} }, err: { write: () => {} } },
      );
      assert.equal(code, 0);
      proxy.deliver();
      await sleep(200);
      const { items } = await raw.list(`${SECRETS}/`, {});
      assert.deepEqual(
        items.map(({ key, value }) => [key, value.toString('latin1', 0, 24)]),
        [[`${SECRETS}/one`, 'orch:enc:aesgcm:v1:key2:']],
      );
    } finally {
      encryption.close();
    }
  });
});
