import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { aesCbc } from './aes-cbc.ts';
import { EncryptionMetrics } from './encryption-metrics.ts';
import { Envelope, type EnvelopeForm, formV1, formV2 } from './envelope.ts';
import { encodeFields } from './kms-messages.ts';
import { kmsV1, kmsV2 } from './kms-plugin.ts';
import { KmsPluginServer } from './testing/kms-plugin-server.ts';

const PLACE = Buffer.from('/registry/core/secrets/default/one');
const PLAIN = Buffer.from('a secret');

describe('values encrypted with data keys of a KMS plug-in', function () {
  this.timeout(60_000);
  let folder: string;
  let server: KmsPluginServer;
  let now: number;
  const made: Envelope[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'kms-'));
    server = new KmsPluginServer(path.join(folder, 'kms.sock'));
    await server.start();
    now = 0;
  });

  afterEach(() => {
    for (const envelope of made.splice(0)) envelope.close();
    server.stop();
    rmSync(folder, { recursive: true });
  });

  function envelope(form: EnvelopeForm, cacheSize = 1000): Envelope {
    const connect = form === formV1 ? kmsV1 : kmsV2;
    const one = new Envelope(connect({ path: server.path, timeoutMs: 20_000 }), form, {
      cacheSize,
      metrics: new EncryptionMetrics(new MetricSet()),
      now: () => now,
    });
    made.push(one);
    return one;
  }

  for (const [version, form] of [
    ['v1', formV1],
    ['v2alpha1', formV2],
  ] as const) {
    it(`can be opened by another client of the plug-in, but only at their path: ${version}`, async () => {
      const sealed = await envelope(form).seal(PLAIN, PLACE);
      const other = envelope(form);
      assert.deepEqual(await other.open(sealed, PLACE), PLAIN);
      await assert.rejects(async () => other.open(sealed, Buffer.from('/registry/core/secrets/default/two')), /moved/);
    });

    it(`call the plug-in once for each data key and cache a limited number of keys: ${version}`, async () => {
      const writer = envelope(form);
      const values: Buffer[] = [];
      for (let i = 0; i < 3; i++) {
        values.push(await writer.seal(PLAIN, PLACE));
        values.push(await writer.seal(PLAIN, PLACE));
        now += 61_000;
      }
      assert.equal(server.asked.Encrypt, 3);
      const reader = envelope(form, 2);
      for (const value of values) assert.deepEqual(await reader.open(value, PLACE), PLAIN);
      assert.equal(server.asked.Decrypt, 3);
      await reader.open(values[0]!, PLACE);
      assert.equal(server.asked.Decrypt, 4);
      await reader.open(values[5]!, PLACE);
      assert.equal(server.asked.Decrypt, 4);
    });

    it(`can be read and written with cached data keys while the plug-in is down: ${version}`, async () => {
      const one = envelope(form);
      const sealed = await one.seal(PLAIN, PLACE);
      server.stop();
      assert.deepEqual(await one.open(sealed, PLACE), PLAIN);
      assert.deepEqual(await one.open(await one.seal(PLAIN, PLACE), PLACE), PLAIN);
      const other = envelope(form);
      await assert.rejects(async () => other.open(sealed, PLACE), { name: 'PluginDownError' });
      assert.match((await other.check()) ?? '', /does not answer/);
      await server.start();
      const giveUpAt = Date.now() + 30_000;
      while ((await other.check()) !== undefined) assert.ok(Date.now() < giveUpAt);
      assert.deepEqual(await other.open(sealed, PLACE), PLAIN);
    });

    it(`are refused by a plug-in without their key, which does not affect other values: ${version}`, async () => {
      const one = envelope(form);
      const good = await one.seal(PLAIN, PLACE);
      const bytes = Buffer.from('other\0');
      const bad = form.join({ bytes, keyId: 'other', annotations: new Map() }, Buffer.alloc(40));
      const other = envelope(form);
      await assert.rejects(async () => other.open(bad, PLACE), /refuses: /);
      assert.deepEqual(await other.open(good, PLACE), PLAIN);
    });

    it(`are refused if they are truncated: ${version}`, async () => {
      const one = envelope(form);
      const sealed = await one.seal(PLAIN, PLACE);
      for (let length = 0; length < sealed.length; length += 7)
        await assert.rejects(async () => one.open(sealed.subarray(0, length), PLACE));
    });
  }

  it('in v1 consist of the length, the key and the value', async () => {
    const sealed = await envelope(formV1).seal(PLAIN, PLACE);
    const length = sealed.readUInt16BE(0);
    assert.equal(sealed.toString('latin1', 2, 2 + 'key-1'.length), 'key-1');
    // nonce and tag
    assert.equal(sealed.length, 2 + length + 12 + PLAIN.length + 16);
  });

  it('in v1 can be opened if an earlier release wrote them', async () => {
    const one = envelope(formV1);
    const dataKey = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
    const wrapped = await kmsV1({ path: server.path, timeoutMs: 20_000 }).wrap(dataKey);
    const value = formV1.join(wrapped, aesCbc(dataKey).seal(PLAIN, PLACE) as Buffer);
    assert.deepEqual(await one.open(value, PLACE), PLAIN);
  });

  it('in v2 consist of a message with the value, the key id, the key and the annotations', async () => {
    const { key, sealed } = formV2.part(await envelope(formV2).seal(PLAIN, PLACE));
    const { bytes, keyId, annotations } = key;
    assert.equal(keyId, 'key-1');
    assert.equal(annotations.get('kind.example.com')?.toString(), 'test');
    const again = encodeFields({ 1: sealed, 2: keyId, 3: bytes, 4: annotations });
    assert.deepEqual(formV2.part(again), { key, sealed });
  });

  it('in v2 are stale after the plug-in changes its key', async () => {
    const one = envelope(formV2);
    const sealed = await one.seal(PLAIN, PLACE);
    assert.equal(one.isStale(sealed), false);
    server.keyId = 'key-2';
    assert.equal(await one.check(), undefined);
    assert.equal(one.isStale(sealed), true);
    assert.equal(one.isStale(await one.seal(PLAIN, PLACE)), false);
    assert.deepEqual(await one.open(sealed, PLACE), PLAIN);
    server.health = 'the vault is sealed';
    assert.match((await one.check()) ?? '', /is not well: the vault is sealed/);
  });
});
