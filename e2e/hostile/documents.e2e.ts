import assert from 'node:assert/strict';
import https from 'node:https';
import path from 'node:path';
import { createNaming } from '#base/naming/create-naming.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { Bystander } from './bystander.ts';
import { madeDefinition } from './many-definitions.ts';

/** The number of definitions that a cluster of the field had, with 32 MB in total. */
const DEFINITIONS = Number(process.env['DEFINITIONS'] ?? 465);

/** The largest cost of all documents together, in milliseconds of processor time. */
const INDEX_MS = 4_000;
const WHOLE_MS = 9_000;

const PROTOBUF = 'application/com.github.proto-openapi.spec.VERSION@v1.0+protobuf';

describe(`OpenAPI documents of ${DEFINITIONS} definitions`, function () {
  this.timeout(600_000);
  const naming = createNaming('orch');
  const definitions = `/apis/${naming.group('apiextensions')}/v1/customresourcedefinitions`;
  const pki = temporaryPki();
  const probe = path.join(pki.directory, 'loop.json');
  const token = /^([^,]*),bob,/m.exec(pki.read('tokens.csv'))![1]!;
  const agent = new https.Agent({ keepAlive: true, maxSockets: 64, ca: pki.read('ca.crt') });
  let etcd: EtcdProcess;
  let replica: Replica;
  let bystander: Bystander;

  interface Given {
    readonly status: number;
    readonly bytes: number;
    readonly body: Buffer;
    readonly etag: string;
  }

  /** Sends a request as a user who only has the right to read documents. */
  const ask = (target: string, headers: Record<string, string> = {}): Promise<Given> =>
    new Promise((resolve, reject) => {
      const request = https.get(
        {
          host: '127.0.0.1',
          port: replica.port,
          path: target,
          agent,
          headers: { Authorization: `Bearer ${token}`, ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () => {
            const body = Buffer.concat(chunks);
            const { statusCode: status = 0 } = response;
            resolve({ status, bytes: body.length, body, etag: String(response.headers.etag) });
          });
        },
      );
      request.once('error', reject);
    });

  const keys = async (): Promise<string[]> => {
    const { paths } = JSON.parse((await ask('/openapi/v3')).body.toString()) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    return Object.values(paths).map(({ serverRelativeURL }) => serverRelativeURL);
  };

  before(async () => {
    etcd = await EtcdProcess.start();
    const first = await startReplica(pki, etcd.endpoint);
    let next = 0;
    const create = async (): Promise<void> => {
      while (next < DEFINITIONS) {
        const { status, body } = await first.request('POST', definitions, madeDefinition(naming, next++));
        assert.equal(status, 201, body);
      }
    };
    await Promise.all(Array.from({ length: 4 }, create));
    await first.stop();
    // No client has asked this replica for a document about these definitions.
    replica = await startReplica(pki, etcd.endpoint, { loopProbe: probe });
    bystander = await Bystander.beside(replica, probe);
  });

  after(async () => {
    agent.destroy();
    await replica?.stop();
    await etcd?.stop();
  });

  it('are listed with hashes without building them', async () => {
    const { processor } = await bystander.during('the index', async () => assert.ok((await keys()).length > 80));
    assert.ok(processor < INDEX_MS, `${processor} ms`);
  });

  it('are built once for 20 parallel requests for the combined document', async () => {
    const { processor } = await bystander.during('one document', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => ask('/openapi/v2', { 'Accept-Encoding': 'gzip' })),
      );
      assert.ok(answers.every(({ status, bytes }) => status === 200 && bytes > 1_000_000));
    });
    assert.ok(processor < WHOLE_MS, `${processor} ms`);
  });

  it('are answered with 304 for a known ETag without building them', async () => {
    const { etag } = await ask('/openapi/v2', { 'Accept-Encoding': 'gzip' });
    const { processor } = await bystander.during('1,000 who have it', async () => {
      for (let i = 0; i < 1_000; i++) assert.equal((await ask('/openapi/v2', { 'If-None-Match': etag })).status, 304);
    });
    assert.ok(processor < 3_000, `${processor} ms`);
  });

  it('are served uncompressed, in protobuf, and one by one', async () => {
    await bystander.during('plain', async () => {
      const { body } = await ask('/openapi/v2');
      const { definitions: all } = JSON.parse(body.toString()) as { definitions: object };
      assert.ok(Object.keys(all).length > 2 * DEFINITIONS);
    });
    await bystander.during('protobuf', () => ask('/openapi/v2', { Accept: PROTOBUF.replace('VERSION', 'v2') }));
    await bystander.during('one by one', async () => {
      for (const address of await keys()) assert.equal((await ask(address)).status, 200);
    });
    await bystander.during('one by one, in protobuf', async () => {
      const headers = { Accept: PROTOBUF.replace('VERSION', 'v3') };
      for (const address of await keys()) assert.equal((await ask(address, headers)).status, 200);
    });
  });

  it('cost only what has changed while definitions change and many clients read', async () => {
    const name = (madeDefinition(naming, 1)['metadata'] as { name: string }).name;
    let changes = 0;
    const { processor } = await bystander.during('changes', async () => {
      const end = Date.now() + 10_000;
      const change = async (): Promise<void> => {
        while (Date.now() < end) {
          const { status, body } = await replica.request('GET', `${definitions}/${name}`);
          assert.equal(status, 200);
          const object = JSON.parse(body);
          object.spec.versions[0].schema.openAPIV3Schema.description = `changed ${changes++} times`;
          assert.equal((await replica.request('PUT', `${definitions}/${name}`, object)).status, 200);
        }
      };
      const read = async (target: string): Promise<void> => {
        while (Date.now() < end) assert.equal((await ask(target, { 'Accept-Encoding': 'gzip' })).status, 200);
      };
      await Promise.all([
        change(),
        ...Array.from({ length: 4 }, () => [read('/openapi/v2'), read('/openapi/v3')]).flat(),
      ]);
    });
    assert.ok(changes > 5, `${changes} changes`);
    assert.ok(processor > 0);
    const { body } = await ask('/openapi/v2', { 'Accept-Encoding': 'identity' });
    assert.ok(body.includes(`changed ${changes - 1} times`), 'the last change is there');
  });

  it('and other requests are not delayed by a definition of several hundred kilobytes', async () => {
    const large = madeDefinition(naming, 100_000, 300_000);
    const { name } = large['metadata'] as { name: string };
    await bystander.during('a large definition', async () => {
      const made = await replica.request('POST', definitions, large);
      assert.equal(made.status, 201, made.body);
      assert.ok(made.body.length > 500_000);
      const changed = await replica.request('PATCH', `${definitions}/${name}`, { metadata: { labels: { a: 'b' } } });
      assert.equal(changed.status, 200);
      await keys();
      await ask('/openapi/v2', { 'Accept-Encoding': 'gzip' });
    });
  });
});
