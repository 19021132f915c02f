import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { Neighbour } from './neighbour.ts';
import { Storm } from './storm.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

/** `STORM=1` runs the whole test, with the figures of docs/performance.md. */
const FULL = process.env['STORM'] === '1';
const SIZE = FULL ? { connections: 50, streams: 100, single: 200 } : { connections: 10, streams: 50, single: 50 };

/** The longest wait for all watches, in milliseconds. The test does not measure the speed. */
const WITHIN = 120_000;

/** Processor time that a replica has used, in seconds. */
async function processorSeconds(replica: Replica): Promise<number> {
  const { body } = await replica.request('GET', '/metrics');
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(body)?.[1]);
}

describe('the watchers of a killed replica', () => {
  const pki = temporaryPki();
  const loopProbe = pki.file('loop.json');
  let etcd: EtcdProcess;
  let replicas: Replica[] = [];
  let storm: Storm | undefined;

  before(async () => {
    etcd = await EtcdProcess.start();
    // The programs start one after the other, because each takes the next free port.
    for (let n = 0; n < 2; n++)
      replicas = [...replicas, await startReplica(pki, etcd.endpoint, n === 1 ? { loopProbe } : {})];
  });

  after(async () => {
    storm?.stop();
    await Promise.all(replicas.map((replica) => replica.stop()));
    await etcd.stop();
  });

  it('continue at another replica without a new list, and see each change once', async function () {
    this.timeout(3 * WITHIN);
    const [lost, left] = replicas as [Replica, Replica];
    let n = 0;
    const body = () => ({ metadata: { name: 'watched' }, data: { n: String(n) } });
    const created = await left.request('POST', MAPS, body());
    assert.equal(created.status, 201, created.body);
    const { resourceVersion } = JSON.parse(created.body).metadata;
    const change = async (): Promise<void> => {
      n++;
      const answer = await left.request('PUT', `${MAPS}/watched`, body());
      assert.equal(answer.status, 200, answer.body);
    };
    storm = new Storm(pki, lost.port, SIZE, MAPS, resourceVersion);
    await storm.start(WITHIN);
    for (let i = 0; i < 5; i++) await change();
    await storm.allSaw(n, WITHIN);

    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => pki.read(name));
    const neighbour = new Neighbour('GET, most recent', () => ({
      ...{ host: '127.0.0.1', port: left.port, path: `${MAPS}/watched`, method: 'GET' },
      ...{ ca, cert, key, servername: 'localhost' },
    }));
    neighbour.start(20);
    await sleep(500);
    neighbour.phase = `${storm.watchers.length} watchers come back`;
    const before = await processorSeconds(left);
    const began = Date.now();
    storm.turnTo(left.port);
    const changing = (async () => {
      for (let i = 0; i < 20; i++) {
        await change();
        await sleep(50);
      }
    })();
    await lost.kill();
    const took = await storm.allAt(left.port, WITHIN);
    const used = (await processorSeconds(left)) - before;
    await changing;
    await change();
    await storm.allSaw(n, WITHIN);
    await neighbour.stop();

    console.log(`    all are back after ${(took / 1000).toFixed(2)} s, for ${used.toFixed(2)} s of processor time`);
    const stretches: { readonly ms: number; readonly at: number }[] = existsSync(loopProbe)
      ? JSON.parse(readFileSync(loopProbe, 'utf8'))
      : [];
    const longest = Math.max(0, ...stretches.filter(({ at }) => at > began).map(({ ms }) => ms));
    console.log(`    longest turn of the event loop: ${longest.toFixed(0)} ms of processor time`);
    for (const line of neighbour.report()) console.log(`    ${line}`);
    const counted = Array.from({ length: n }, (_, i) => i + 1);
    for (const { seen, relists } of storm.watchers) {
      assert.deepEqual(seen, counted);
      assert.equal(relists, 0);
    }
    assert.equal(neighbour.refused + neighbour.failed, 0);
  });
});
