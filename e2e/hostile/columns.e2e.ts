import assert from 'node:assert/strict';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { Bystander } from './bystander.ts';
import { define, objectPath } from './custom/define.ts';
import { Sender } from './send.ts';

/** The number of objects of a kind, and the number of clients that list them as a table at the same time. */
const OBJECTS = 20;
const AT_ONCE = 4;

const text = (jsonPath: string) => ({ type: 'string', jsonPath });
const nested = (depth: number): object => (depth === 0 ? [1] : { x: nested(depth - 1) });
const names = Array(10).fill("'x'");

/** Columns, and similar ones, that blocked a replica for seconds, or ended it, before rows had a budget. */
const ATTACKS: readonly [what: string, columns: readonly { type: string; jsonPath: string }[], v: unknown][] = [
  ['a path with ten names in each of 20 steps', [text(`.v${`[${names}]`.repeat(20)}.y`)], nested(100)],
  ['a thousand columns with recursive descent', Array(1_000).fill(text('.v..a')), Array(20_000).fill(1)],
  ['a thousand columns with filters', Array(1_000).fill(text('.v[?(@.a=="x")].b')), Array(5_000).fill({ a: 1 })],
  ['recursive descent into a long list', [text('.v..a')], Array(200_000).fill(1)],
  ['a long text in 200 columns', Array(200).fill(text('.v')), 'x'.repeat(300_000)],
];

describe('expensive printer columns', function () {
  this.timeout(600_000);
  const pki = temporaryPki();
  const loopProbe = pki.file('loop.json');
  let etcd: EtcdProcess;
  let replica: Replica;
  let bystander: Bystander;
  let sender: Sender;

  before(async () => {
    etcd = await EtcdProcess.start();
    replica = await startReplica(pki, etcd.endpoint, { loopProbe });
    bystander = await Bystander.beside(replica, loopProbe);
    sender = new Sender(pki, replica.port);
  });

  after(async () => {
    sender?.close();
    await replica?.stop();
    await etcd?.stop();
  });

  for (const [i, [what, columns, v]] of ATTACKS.entries()) {
    it(`do not block other requests: ${what}`, async () => {
      const anything = { 'x-orch-preserve-unknown-fields': true };
      const named = columns.map((column, k) => ({ name: `c${k}`, ...column }));
      const kind = await define(replica, `columns${i}`, anything, named);
      const target = objectPath(kind);
      for (let k = 0; k < OBJECTS; k++) {
        const object = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: `o${k}` }, v };
        assert.equal((await replica.request('POST', target, object)).status, 201);
      }
      const headers = { Accept: 'application/json;as=Table;v=v1;g=meta.orch.io' };
      const list = { as: 'admin', method: 'GET', target, headers, body: undefined } as const;
      await bystander.during(what, async () => {
        for (const { status, body } of await Promise.all(Array.from({ length: AT_ONCE }, () => sender.send(list)))) {
          assert.equal(status, 200, body.subarray(0, 300).toString());
          assert.equal((JSON.parse(body.toString()) as { rows: unknown[] }).rows.length, OBJECTS);
        }
      });
    });
  }
});
