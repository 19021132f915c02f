import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { SmallDisk } from '#e2e/drills/small-disk.ts';
import {
  startLoggingReplica,
  startReplica,
  type TestAnswer,
  type TestReplica,
  testNaming,
} from '#server/testing/replica.ts';
import { openEmbeddedStore } from '#storage-embedded/embedded-store.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';

const map = (name: string, value = 'v') => ({ body: { metadata: { name }, data: { value } } });

function status({ status: code, text }: TestAnswer, expected: number): void {
  assert.equal(code, expected, text);
}

describe('a replica with an embedded store', function () {
  this.timeout(120_000);
  let folder: string;
  let replica: TestReplica | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'embedded-'));
  });

  afterEach(async () => {
    await replica?.stop();
    replica = undefined;
    await rm(folder, { recursive: true });
  });

  for (const kind of ['memory', 'file'] as const) {
    it(`serves the same as with etcd: ${kind}`, async () => {
      replica = await startReplica(kind === 'memory' ? 'memory:' : `sqlite://${folder}/store`);
      const call = replica.call.bind(replica);
      const events: string[] = [];
      const { json: before } = await call('GET', MAPS);
      const watch = await replica.watch(
        `${MAPS}?watch=true&resourceVersion=${before.metadata.resourceVersion}`,
        ({ type, object }) => void events.push(`${type} ${object.metadata.name}`),
      );
      for (const name of ['a', 'b', 'c']) status(await call('POST', MAPS, map(name)), 201);
      status(await call('POST', MAPS, map('a')), 409);
      const { json: page } = await call('GET', `${MAPS}?limit=2`);
      const { json: b } = await call('GET', `${MAPS}/b`);
      status(await call('PUT', `${MAPS}/b`, { body: { ...b, data: { value: 'w' } } }), 200);
      status(await call('PUT', `${MAPS}/b`, { body: { ...b, data: { value: 'x' } } }), 409);
      status(await call('DELETE', `${MAPS}/c`), 200);
      // This is the state at the first page, which contains `c`.
      const rest = await call('GET', `${MAPS}?limit=2&continue=${page.metadata.continue}`);
      const names = [...page.items, ...rest.json.items].map(({ metadata }) => metadata.name);
      assert.deepEqual(
        names.filter((name: string) => name.length === 1),
        ['a', 'b', 'c'],
      );
      const exact = await call(
        'GET',
        `${MAPS}?resourceVersion=${before.metadata.resourceVersion}&resourceVersionMatch=Exact`,
      );
      assert.deepEqual(exact.json.items.length, before.items.length);
      while (events.length < 5) await sleep(10);
      assert.deepEqual(events, ['ADDED a', 'ADDED b', 'ADDED c', 'MODIFIED b', 'DELETED c']);
      watch.close();
      status(await call('GET', '/readyz'), 200);
      assert.match((await call('GET', '/metrics')).text, /etcd_db_total_size_in_bytes\{endpoint="(memory:|sqlite:)/);
    });
  }

  it('keeps its objects and continues its revisions after a restart', async () => {
    const endpoint = `sqlite://${folder}/store`;
    replica = await startReplica(endpoint);
    const { json: made } = await replica.call('POST', MAPS, map('kept'));
    await replica.stop();
    replica = await startReplica(endpoint);
    const { json: found } = await replica.call('GET', `${MAPS}/kept`);
    assert.deepEqual(found, made);
    const { json: next } = await replica.call('POST', MAPS, map('next'));
    assert.ok(Number(next.metadata.resourceVersion) > Number(made.metadata.resourceVersion));
  });

  it('encrypts the objects in the file', async () => {
    const settings = path.join(folder, 'encryption.yaml');
    const secret = randomBytes(32).toString('base64');
    await writeFile(
      settings,
      `apiVersion: ${testNaming.apiVersion('apiserver.config', 'v1')}
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - aesgcm: {keys: [{name: key1, secret: ${secret}}]}
`,
    );
    const endpoint = `sqlite://${folder}/store`;
    replica = await startReplica(endpoint, `--encryption-provider-config=${settings}`);
    const body = { metadata: { name: 'hidden' }, stringData: { it: 'what no file may show' } };
    status(await replica.call('POST', SECRETS, { body }), 201);
    const { json } = await replica.call('GET', `${SECRETS}/hidden`);
    assert.equal(Buffer.from(json.data.it, 'base64').toString(), 'what no file may show');
    await replica.stop();
    replica = undefined;
    const shown = Buffer.from('what no file may show').toString('base64');
    assert.ok(!readFileSync(path.join(folder, 'store')).includes(shown));
    const store = await openEmbeddedStore({ file: path.join(folder, 'store') });
    assert.match(String((await store.get('/registry/core/secrets/default/hidden'))?.value), /:enc:aesgcm:/);
    await store.close();
  });

  it('answers 503 on a full disk, logs it once, and accepts deletions', async function () {
    const disk = SmallDisk.make(48);
    if (disk === undefined) return this.skip();
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
    try {
      replica = await startLoggingReplica(log, `sqlite://${disk.folder}/store`);
      const large = 'x'.repeat(200_000);
      status(await replica.call('POST', MAPS, map('there', large)), 201);
      disk.fill();
      let answer = await replica.call('POST', MAPS, map('first', large));
      for (let i = 0; i < 100 && answer.status === 201; i++)
        answer = await replica.call('POST', MAPS, map(`more-${i}`, large));
      status(answer, 503);
      assert.match(answer.json.message, /the store is full/);
      status(await replica.call('GET', `${MAPS}/there`), 200);
      status(await replica.call('DELETE', `${MAPS}/there`), 200);
      assert.match((await replica.call('GET', '/metrics')).text, /^apiserver_storage_full(\{[^}]*\})? 1$/m);
      assert.deepEqual(
        lines.filter((line) => line.includes('"msg":"the disk of the store is full')).length,
        1,
        lines.join(''),
      );
    } finally {
      await replica?.stop();
      replica = undefined;
      disk.remove();
    }
  });

  it('refuses to start with several workers, or if another replica uses the file', async () => {
    const endpoint = `sqlite://${folder}/store`;
    await assert.rejects(startReplica(endpoint, '--workers=2'), /belongs to one process: leave --workers at 1/);
    replica = await startReplica(endpoint);
    await assert.rejects(startReplica(endpoint), new RegExp(`is in use by process ${process.pid}`));
  });
});
