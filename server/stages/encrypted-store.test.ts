import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming } from '#base/naming/create-naming.ts';
import { Encryption } from '#program/encryption/encryption.ts';
import { WritesUnderWay } from '#program/encryption/writes-under-way.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import type { DataStore } from '#storage/data-store.ts';
import { OutcomeUnknownError, type Written } from '#storage/object-store.ts';
import { encryptedStore } from './encrypted-store.ts';

const SECRET = '/registry/core/secrets/default/one';
const naming = createNaming('orch');

describe('writes in progress while the encryption configuration changes', function () {
  this.timeout(60_000);
  let folder: string;
  let file: string;
  let encryption: Encryption | undefined;
  let metrics: MetricSet;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'under-way-'));
    file = path.join(folder, 'encryption.yaml');
    metrics = new MetricSet();
  });

  afterEach(() => {
    encryption?.close();
    rmSync(folder, { recursive: true });
  });

  /** The first key encrypts. */
  function configure(...keys: number[]): void {
    const secret = (n: number) => Buffer.from(Array.from({ length: 32 }, (_, i) => i * 5 + n)).toString('base64');
    const list = keys.map((n) => `      - {name: key${n}, secret: ${secret(n)}}\n`).join('');
    const head = `apiVersion: ${naming.apiVersion('apiserver.config', 'v1')}\nkind: EncryptionConfiguration\n`;
    writeFileSync(file, `${head}resources:\n- resources: [secrets]\n  providers:\n  - aesgcm:\n      keys:\n${list}`);
  }

  /** A store whose creates end when the test ends them. */
  function startStore(settle: () => Promise<void> = async () => {}) {
    const sent: { readonly value: string; end(result: Written): void; fail(error: Error): void }[] = [];
    const bare = {
      create: (_key: string, value: Uint8Array) =>
        new Promise((end, fail) => sent.push({ value: Buffer.from(value).toString('latin1', 0, 24), end, fail })),
      settle,
    } as unknown as DataStore;
    const context = { naming, allowsKmsV2: false, storageOf: (group: string, plural: string) => ({ group, plural }) };
    const log = { info() {}, error() {} };
    encryption = new Encryption({ file, reloads: true, context, metrics, log, lookMs: 5 });
    return { sent, store: encryptedStore(bare, { prefix: '/registry', encryption, log }) };
  }

  function inForce(): string[] {
    const found = metrics.values().find(({ family }) => family.name === 'apiserver_encryption_config_in_force');
    return found!.series.map(([[sha256 = '']]) => sha256).sort();
  }

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await sleep(1);
  }

  it('keep the old configuration active until the last of them has ended', async () => {
    configure(1, 2);
    const { sent, store } = startStore();
    const [before] = inForce();
    const writes = [1, 2].map(() => store.create(SECRET, Buffer.from('{}')));
    await until(() => sent.length === 2);
    configure(2, 1);
    await until(() => inForce().length === 2);
    const now = inForce().find((one) => one !== before)!;
    writes.push(store.create(SECRET, Buffer.from('{}')));
    await until(() => sent.length === 3);
    assert.deepEqual(
      sent.map(({ value }) => value),
      ['orch:enc:aesgcm:v1:key1:', 'orch:enc:aesgcm:v1:key1:', 'orch:enc:aesgcm:v1:key2:'],
    );
    sent[0]!.end({ outcome: 'written', revision: 2 });
    await writes[0];
    await sleep(20);
    assert.equal(inForce().length, 2, 'one more is under way');
    sent[1]!.end({ outcome: 'written', revision: 3 });
    await until(() => inForce().length === 1);
    assert.deepEqual(inForce(), [now], 'that of the present one does not count');
    sent[2]!.end({ outcome: 'written', revision: 4 });
    await Promise.all(writes);
  });

  it('keep it active after a lost write until it is certain that the write will not happen', async () => {
    configure(1, 2);
    const tries: ((isSettled: boolean) => void)[] = [];
    const settle = () =>
      new Promise<void>((resolve, reject) => tries.push((isSettled) => (isSettled ? resolve() : reject(new Error()))));
    const { sent, store } = startStore(settle);
    const write = store.create(SECRET, Buffer.from('{}'));
    await until(() => tries.length === 1);
    assert.equal(sent.length, 0, 'first there is a fence, for when this server is gone');
    tries.pop()!(true);
    await until(() => sent.length === 1);
    sent[0]!.fail(new OutcomeUnknownError('lost'));
    await assert.rejects(write, OutcomeUnknownError);
    assert.equal(tries.length, 0, 'nothing is asked of etcd as long as the configuration is the same');
    configure(2, 1);
    await until(() => tries.length === 1);
    tries[0]!(false);
    await until(() => tries.length === 2);
    assert.equal(inForce().length, 2);
    tries[1]!(true);
    await until(() => inForce().length === 1);
  });

  it('are no longer waited for when the server ends', async () => {
    const underWay = new WritesUnderWay();
    const end = new AbortController();
    underWay.begin();
    underWay.end({
      settle: async () => {
        end.abort();
        throw new Error();
      },
    });
    assert.equal(await underWay.over(end.signal), false);
    assert.equal(await new WritesUnderWay().over(new AbortController().signal), true);
  });
});
