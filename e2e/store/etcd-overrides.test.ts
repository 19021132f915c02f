import assert from 'node:assert/strict';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import type { DataStore } from '#storage/data-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const EVENTS = '/api/v1/namespaces/default/events';
const MAPS = '/api/v1/namespaces/default/configmaps';
const LEASES = '/apis/coordination.orch.io/v1/namespaces/default/leases';

function event(name: string) {
  return { metadata: { name }, involvedObject: { namespace: 'default' }, reason: 'Tested', type: 'Normal' };
}

describe('resources in a separate etcd', function () {
  this.timeout(120_000);
  const etcds: EtcdProcess[] = [];
  const stores: DataStore[] = [];
  let flag: string;
  let replica: TestReplica;

  before(async () => {
    for (let i = 0; i < 2; i++) {
      const etcd = await EtcdProcess.start();
      etcds.push(etcd);
      stores.push(createEtcdStore({ endpoints: [etcd.endpoint] }));
    }
    // The revisions of the two are far apart.
    const [, own] = stores;
    for (let i = 0; i < 500; i++) await own!.transact([], [{ key: '/elsewhere', value: Buffer.from(String(i)) }]);
    const { endpoint } = etcds[1]!;
    flag = `--etcd-servers-overrides=/events#${endpoint},coordination.orch.io/leases#${endpoint}`;
    replica = await startReplica(etcds[0]!.endpoint, flag);
  });

  after(async () => {
    await replica?.stop();
    for (const store of stores) await store.close();
    for (const etcd of etcds) await etcd.stop();
  });

  async function create(target: string, body: object): Promise<number> {
    const made = await replica.call('POST', target, { body });
    assert.equal(made.status, 201, made.text);
    return Number(made.json.metadata.resourceVersion);
  }

  async function placesOf(key: string): Promise<boolean[]> {
    return Promise.all(stores.map(async (store) => (await store.get(key)) !== undefined));
  }

  it('are stored only there, and other resources are not', async () => {
    assert.ok((await create(EVENTS, event('one'))) > 500);
    assert.ok((await create(LEASES, { metadata: { name: 'one' }, spec: {} })) > 500);
    assert.ok((await create(MAPS, { metadata: { name: 'one' } })) < 500);
    assert.deepEqual(await placesOf('/registry/core/events/default/one'), [false, true]);
    assert.deepEqual(await placesOf('/registry/coordination/leases/default/one'), [false, true]);
    assert.deepEqual(await placesOf('/registry/core/configmaps/default/one'), [true, false]);
  });

  it('are read, changed, paged, watched and deleted with the revisions of that etcd', async () => {
    const seen: string[] = [];
    const started = await replica.call('GET', EVENTS);
    const from = started.json.metadata.resourceVersion;
    assert.ok(Number(from) > 500);
    const watch = await replica.watch(`${EVENTS}?watch=true&resourceVersion=${from}`, ({ type, object }) =>
      seen.push(`${type} ${object.metadata.name}`),
    );
    for (const name of ['p1', 'p2', 'p3']) await create(EVENTS, event(name));
    const got = await replica.call('GET', `${EVENTS}/p1`);
    const put = await replica.call('PUT', `${EVENTS}/p1`, { body: { ...got.json, message: 'changed' } });
    assert.equal(put.status, 200, put.text);
    const fresh = await replica.call('GET', `${EVENTS}/p1?resourceVersion=${put.json.metadata.resourceVersion}`);
    assert.equal(fresh.json.message, 'changed');
    const names: string[] = [];
    for (let token = '', pages = 0; pages < 10; pages++) {
      const page = await replica.call('GET', `${EVENTS}?limit=2${token === '' ? '' : `&continue=${token}`}`);
      assert.equal(page.status, 200, page.text);
      names.push(...page.json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name));
      token = page.json.metadata.continue ?? '';
      if (token === '') break;
    }
    assert.deepEqual(
      names.filter((name) => name.startsWith('p')),
      ['p1', 'p2', 'p3'],
    );
    const exact = await replica.call('GET', `${EVENTS}?resourceVersion=${from}&resourceVersionMatch=Exact`);
    assert.equal(exact.json.items.length, started.json.items.length);
    assert.equal((await replica.call('DELETE', `${EVENTS}/p2`)).status, 200);
    const giveUpAt = Date.now() + 30_000;
    while (seen.length < 5 && Date.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 20));
    watch.close();
    assert.deepEqual(seen, ['ADDED p1', 'ADDED p2', 'ADDED p3', 'MODIFIED p1', 'DELETED p2']);
    // These are the same objects in the other group.
    const other = '/apis/events.orch.io/v1/namespaces/default/events';
    assert.equal((await replica.call('GET', `${other}/p1`)).json.note, 'changed');
  });

  it('are refused in missing namespaces', async () => {
    const made = await replica.call('POST', '/api/v1/namespaces/missing/events', {
      body: { ...event('one'), involvedObject: { namespace: 'missing' } },
    });
    assert.equal(made.status, 404, made.text);
  });

  it('appear in health checks and metrics', async () => {
    assert.equal((await replica.call('GET', '/healthz/etcd-override-0')).text, 'ok');
    const giveUpAt = Date.now() + 30_000;
    for (const { endpoint } of etcds) {
      const shown = () => replica.call('GET', '/metrics').then(({ text }) => text.includes(`{endpoint="${endpoint}"}`));
      while (!(await shown())) assert.ok(Date.now() < giveUpAt, endpoint);
    }
  });

  it('are found by another replica', async () => {
    const late = await startReplica(etcds[0]!.endpoint, flag);
    try {
      assert.equal((await late.call('GET', `${EVENTS}/one`)).status, 200);
      assert.equal((await late.call('GET', `${MAPS}/one`)).status, 200);
      await create(EVENTS, event('late'));
      assert.equal((await late.call('GET', `${EVENTS}/late`)).status, 200);
    } finally {
      await late.stop();
    }
  });

  it('do not affect other resources while that etcd is down, and recover with it', async () => {
    await etcds[1]!.kill();
    assert.equal((await replica.call('GET', MAPS)).status, 200);
    await create(MAPS, { metadata: { name: 'meanwhile' } });
    const refused = await replica.call('POST', EVENTS, { body: event('meanwhile') });
    assert.ok([503, 504].includes(refused.status), refused.text);
    assert.equal((await replica.call('GET', `${EVENTS}/one`)).status, 503);
    assert.equal((await replica.call('GET', `${EVENTS}/one?resourceVersion=0`)).status, 200);
    assert.equal((await replica.call('GET', '/healthz/etcd-override-0')).status, 500);
    assert.equal((await replica.call('GET', '/readyz')).status, 200);
    await etcds[1]!.restart();
    const giveUpAt = Date.now() + 60_000;
    while ((await replica.call('GET', `${EVENTS}/one`)).status !== 200) assert.ok(Date.now() < giveUpAt);
    await create(EVENTS, event('after'));
  });

  const wrong: readonly [setting: string, message: RegExp][] = [
    ['events#http://127.0.0.1:1', /"events#http:\/\/127.0.0.1:1" is not GROUP\/RESOURCE#ADDRESS;ADDRESS/],
    ['/events#127.0.0.1:1', /"127.0.0.1:1" is not an address/],
    ['/event#http://127.0.0.1:1', /\/event is no built-in resource/],
    ['events.orch.io/events#http://127.0.0.1:1', /events\/events is stored as \/events/],
    ['/services#http://127.0.0.1:1', /\/services has to be where most objects are/],
    ['/events#http://127.0.0.1:1,/events#http://127.0.0.1:2', /\/events is named twice/],
  ];
  for (const [setting, message] of wrong) {
    it(`refuse the invalid setting ${setting}`, async () => {
      const start = startReplica(etcds[0]!.endpoint, `--etcd-servers-overrides=${setting}`);
      await assert.rejects(start, { name: 'ConfigError', message });
    });
  }
});
