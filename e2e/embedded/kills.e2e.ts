import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#storage-etcd/testing/etcd-process.ts';
import { check } from '../chaos/checker/check.ts';
import type { Violation } from '../chaos/checker/history.ts';
import { Client } from '../chaos/client.ts';
import { keyOf, namespaces } from '../chaos/collections.ts';
import { Journal } from '../chaos/journal.ts';
import { mark } from '../chaos/mark.ts';
import { Random } from '../chaos/random.ts';
import { Watcher } from '../chaos/watcher.ts';
import { page, randomScope, type WorkerContext, work } from '../chaos/workload.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { historyOf } from './file-history.ts';

/**
 * The number of times that the test kills the replica. KILLS in the environment sets another number, and SEED repeats a
 * run.
 */
const KILLS = Number(process.env['KILLS'] ?? 15);
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

/** The longest time for which a replica serves before it is killed, in milliseconds. */
const SERVES = 2_000;

/** The longest time until watchers have all changes at the end, in milliseconds. */
const SETTLE = 30_000;

describe('a replica with an embedded store that is killed repeatedly under load', function () {
  this.timeout(120_000 + KILLS * 10_000);

  it(`loses no acknowledged write and stores no partial write (${KILLS} kills, seed ${SEED})`, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'kills-'));
    const file = path.join(folder, 'store');
    const pki = temporaryPki();
    const port = await freePort();
    // The test compares the whole history at the end.
    const flags = ['--etcd-compaction-interval=0', '--event-ttl=24h'];
    const launch = (): Promise<Replica> => startReplica(pki, `sqlite://${file}`, { port, flags });
    const random = new Random(SEED);
    const journal = new Journal();
    const [calm, over] = [new AbortController(), new AbortController()];
    const clients: Client[] = [];
    const context = (name: string, index: number, stop: AbortSignal): WorkerContext => {
      const client = new Client(name, pki);
      clients.push(client);
      return { client, ports: [port], random: random.fork(index), journal, stop };
    };
    let replica = await launch();
    try {
      for (const name of namespaces)
        assert.equal((await replica.request('POST', '/api/v1/namespaces', { metadata: { name } })).status, 201);
      const settling = { reached: undefined as number | undefined };
      const watchers = Array.from({ length: 5 }, (_, i) => {
        const own = context(`watcher ${i}`, 200 + i, over.signal);
        return new Watcher(own, randomScope(own.random), settling);
      });
      const watching = Promise.all(watchers.map((watcher) => watcher.run()));
      const working = Promise.all([
        ...Array.from({ length: 10 }, (_, i) => work(context(`client ${i}`, 1 + i, calm.signal), 15)),
        page(context('pager', 100, calm.signal)),
      ]);
      for (let kills = 0; kills < KILLS; kills++) {
        await sleep(random.between(0, SERVES));
        await replica.kill();
        replica = await launch();
      }
      calm.abort();
      await working;
      settling.reached = await mark(context('setup', 0, over.signal));
      const giveUpAt = Date.now() + SETTLE;
      while (!watchers.every(({ settled }) => settled) && Date.now() < giveUpAt) await sleep(50);
      const violations: Violation[] = watchers
        .filter(({ settled }) => !settled)
        .map(({ description }) => ({ law: 'watch', message: `${description} has not caught up` }));
      over.abort();
      await watching;
      await replica.stop();
      violations.push(...check({ truth: historyOf(file, '/registry/', keyOf), operations: journal.operations }));
      const writes = journal.counts.get('writes done') ?? 0;
      assert.deepEqual(violations, [], `${violations.length} violations; ${writes} writes`);
      assert.ok(writes > KILLS, `only ${writes} writes: too little was tried`);
    } finally {
      calm.abort();
      over.abort();
      for (const client of clients) client.close();
      await replica.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
