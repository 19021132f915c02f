import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import https from 'node:https';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming } from '#base/naming/create-naming.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { madeDefinition } from './many-definitions.ts';

/** As many as one cluster of the field had, of 32 MB together. */
const DEFINITIONS = Number(process.env['DEFINITIONS'] ?? 465);

/** The longest that somebody else waits for an answer, in milliseconds, on two quiet cores; half a second is aimed at. */
const OTHERS_WAIT_MS = 3_000;
/** The longest for which the loop does not turn, in milliseconds of processor time; 20 are aimed at. */
const STRETCH_MS = 200;
/** What documents may cost in all, in milliseconds of processor time. */
const INDEX_MS = 4_000;
const WHOLE_MS = 9_000;

const PROTOBUF = 'application/com.github.proto-openapi.spec.VERSION@v1.0+protobuf';

describe(`documents of ${DEFINITIONS} definitions`, function () {
  this.timeout(600_000);
  const naming = createNaming('orch');
  const definitions = `/apis/${naming.group('apiextensions')}/v1/customresourcedefinitions`;
  const pki = temporaryPki();
  const probe = path.join(pki.directory, 'loop.json');
  const token = /^([^,]*),bob,/m.exec(pki.read('tokens.csv'))![1]!;
  const agent = new https.Agent({ keepAlive: true, maxSockets: 64, ca: pki.read('ca.crt') });
  let etcd: EtcdProcess;
  let replica: Replica;

  interface Told {
    readonly status: number;
    readonly bytes: number;
    readonly body: Buffer;
    readonly etag: string;
  }

  /** As a user who has no rights but to read documents. */
  const ask = (target: string, headers: Record<string, string> = {}): Promise<Told> =>
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

  /** Of all its threads, in milliseconds. */
  const processorTime = (): number => {
    const fields = readFileSync(`/proc/${replica.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  };

  interface Seen {
    readonly waited: number;
    readonly stretch: number;
    readonly processor: number;
  }

  /** The longest that somebody waits who asks for something small all the time. */
  async function longestWait(goesOn: () => boolean): Promise<number> {
    let waited = 0;
    while (goesOn()) {
      const began = performance.now();
      assert.equal((await ask('/version')).status, 200);
      waited = Math.max(waited, performance.now() - began);
      await sleep(10);
    }
    return waited;
  }

  /** What others see of some work. */
  async function seen(what: string, work: () => Promise<unknown>): Promise<Seen> {
    await sleep(600);
    const isQuiet = loadavg()[0]! < availableParallelism();
    let working = true;
    const others = longestWait(() => working);
    const [began, used] = [Date.now(), processorTime()];
    try {
      await work();
    } finally {
      working = false;
    }
    const waited = await others;
    const processor = processorTime() - used;
    await sleep(600);
    const noted: { readonly ms: number; readonly at: number }[] = existsSync(probe)
      ? JSON.parse(readFileSync(probe, 'utf8'))
      : [];
    const stretch = Math.max(0, ...noted.filter(({ at }) => at >= began).map(({ ms }) => ms));
    console.log(
      `      ${what}: ${processor} ms of processor time, longest stretch ${stretch.toFixed(0)} ms, others waited ${waited.toFixed(0)} ms`,
    );
    // elsewhere it tells how busy the machine is; the stretches are in processor time
    if (isQuiet) assert.ok(waited < OTHERS_WAIT_MS, `others waited ${waited} ms`);
    assert.ok(stretch < STRETCH_MS, `the loop stood for ${stretch} ms`);
    return { waited, stretch, processor };
  }

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
    // nothing of them has been asked for here
    replica = await startReplica(pki, etcd.endpoint, { loopProbe: probe });
  });

  after(async () => {
    agent.destroy();
    await replica?.stop();
    await etcd?.stop();
  });

  it('are listed by hashes that need none of them', async () => {
    const { processor } = await seen('the index', async () => assert.ok((await keys()).length > 80));
    assert.ok(processor < INDEX_MS, `${processor} ms`);
  });

  it('are made once for 20 who ask for all of them in one', async () => {
    const { processor } = await seen('one document', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => ask('/openapi/v2', { 'Accept-Encoding': 'gzip' })),
      );
      assert.ok(answers.every(({ status, bytes }) => status === 200 && bytes > 1_000_000));
    });
    assert.ok(processor < WHOLE_MS, `${processor} ms`);
  });

  it('are answered by their tags alone to those who have them', async () => {
    const { etag } = await ask('/openapi/v2', { 'Accept-Encoding': 'gzip' });
    const { processor } = await seen('1,000 who have it', async () => {
      for (let i = 0; i < 1_000; i++) assert.equal((await ask('/openapi/v2', { 'If-None-Match': etag })).status, 304);
    });
    assert.ok(processor < 3_000, `${processor} ms`);
  });

  it('reach those who take them as they are, also in protobuf, and one by one', async () => {
    await seen('plain', async () => {
      const { body } = await ask('/openapi/v2');
      const { definitions: all } = JSON.parse(body.toString()) as { definitions: object };
      assert.ok(Object.keys(all).length > 2 * DEFINITIONS);
    });
    await seen('protobuf', () => ask('/openapi/v2', { Accept: PROTOBUF.replace('VERSION', 'v2') }));
    await seen('one by one', async () => {
      for (const address of await keys()) assert.equal((await ask(address)).status, 200);
    });
    await seen('one by one, in protobuf', async () => {
      const headers = { Accept: PROTOBUF.replace('VERSION', 'v3') };
      for (const address of await keys()) assert.equal((await ask(address, headers)).status, 200);
    });
  });

  it('cost what has changed while definitions keep changing and many ask', async () => {
    const name = (madeDefinition(naming, 1)['metadata'] as { name: string }).name;
    let changes = 0;
    const { processor } = await seen('changes', async () => {
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
    assert.ok(changes > 20, `${changes} changes`);
    assert.ok(processor > 0);
    const { body } = await ask('/openapi/v2', { 'Accept-Encoding': 'identity' });
    assert.ok(body.includes(`changed ${changes - 1} times`), 'the last change is told');
  });

  it('are not held up by a definition of several hundred kilobytes, nor are others', async () => {
    const large = madeDefinition(naming, 100_000, 300_000);
    const { name } = large['metadata'] as { name: string };
    await seen('a large definition', async () => {
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
