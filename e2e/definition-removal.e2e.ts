import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from './replica.ts';

const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
const GROUP = 'removed.example.com';
const OBJECTS = 1_500;
const AT_ONCE = 16;

const definition = {
  apiVersion: 'apiextensions.orch.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

describe('a definition whose deleting replica dies', function () {
  this.timeout(300_000);
  const pki = temporaryPki();
  const stops: (() => Promise<unknown>)[] = [];
  let etcd: EtcdProcess;

  before(async () => {
    etcd = await EtcdProcess.start();
    stops.push(() => etcd.stop());
  });

  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  /** The number of stored objects, according to etcd itself. */
  async function stored(): Promise<number> {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const prefix = `/registry/${GROUP}/things/`;
    const response = await fetch(`${etcd.endpoint}/v3/kv/range`, {
      method: 'POST',
      body: JSON.stringify({ key: base64(prefix), range_end: base64(`${prefix.slice(0, -1)}0`), count_only: true }),
    });
    return Number(((await response.json()) as { count?: string }).count ?? 0);
  }

  async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await isSo()); tries++) {
      assert.ok(tries < 6_000, `${what}: not within a minute`);
      await sleep(10);
    }
  }

  it('is still deleted with all its objects', async () => {
    const [dying, other] = [await startReplica(pki, etcd.endpoint), await startReplica(pki, etcd.endpoint)];
    stops.push(
      () => dying.stop(),
      () => other.stop(),
    );
    assert.equal((await dying.request('POST', DEFINITIONS, definition)).status, 201);
    let next = 0;
    const make = async (): Promise<void> => {
      while (next < OBJECTS) {
        const object = { apiVersion: `${GROUP}/v1`, kind: 'Thing', metadata: { name: `t${next++}` } };
        const { status, body } = await dying.request('POST', `/apis/${GROUP}/v1/namespaces/default/things`, object);
        assert.equal(status, 201, body);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, make));
    assert.equal(await stored(), OBJECTS);

    other.freeze();
    try {
      const removing = dying.request('DELETE', `${DEFINITIONS}/things.${GROUP}`).catch(() => undefined);
      await until('it has begun', async () => (await stored()) < OBJECTS);
      await dying.kill();
      await removing;
      const left = await stored();
      assert.ok(left > 0, 'it died in the middle of it');
      console.log(`      ${left} of ${OBJECTS} objects were left`);
    } finally {
      other.thaw();
    }
    await until('the objects are gone', async () => (await stored()) === 0);
    await until('the definition is gone', async () => (await statusOf(other)) === 404);
    assert.equal((await other.request('GET', `/apis/${GROUP}/v1/namespaces/default/things`)).status, 404);
    assert.equal((await other.request('POST', DEFINITIONS, definition)).status, 201, 'and can be made again');
  });

  async function statusOf(replica: Replica): Promise<number> {
    return (await replica.request('GET', `${DEFINITIONS}/things.${GROUP}`)).status;
  }
});
