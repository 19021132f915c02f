import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { coreV1 } from '../generated/resources.ts';
import { FakeServer } from '../testing/fake-server.ts';
import { waitUntil } from '../testing/wait-until.ts';
import { byNamespace, byOwner, Informer, keyOf } from './informer.ts';
import { covers, Projection, unite } from './projection.ts';
import { SharedInformers } from './shared-informers.ts';

const pod = (name: string, namespace = 'ns', more: object = {}) => ({
  metadata: { name, namespace, labels: { app: name }, managedFields: [], ...more },
  spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
});

describe('informers', () => {
  let stop: AbortController;
  beforeEach(() => {
    stop = new AbortController();
  });
  afterEach(() => stop.abort());

  it('keep a copy, report changes, and find objects by namespace and owner', async () => {
    const server = new FakeServer([coreV1.pods]);
    for (const name of ['a', 'b', 'c']) server.put(coreV1.pods, pod(name));
    const informers = new SharedInformers(server.client);
    const copy = informers.of(coreV1.pods);
    const heard: string[] = [];
    copy.on({
      added: (object) => heard.push(`+${keyOf(object)}`),
      updated: (object, before) => heard.push(`~${keyOf(object)} ${before.metadata.labels?.['app']}`),
      deleted: (object) => heard.push(`-${keyOf(object)}`),
    });
    informers.start(stop.signal);
    await informers.ready();
    assert.deepEqual(heard.splice(0), ['+ns/a', '+ns/b', '+ns/c']);
    assert.equal(copy.find(byNamespace, 'ns').length, 3);
    assert.equal(copy.find(byOwner, 'u1').length, 0);
    server.put(
      coreV1.pods,
      pod('a', 'ns', { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u1' }] }),
    );
    server.put(coreV1.pods, pod('d', 'other'));
    server.remove(coreV1.pods, 'b', 'ns');
    await waitUntil('all changes have come', () => heard.length === 3);
    assert.deepEqual(heard, ['~ns/a a', '+other/d', '-ns/b']);
    assert.deepEqual(copy.find(byOwner, 'u1').map(keyOf), ['ns/a']);
    assert.deepEqual(copy.find(byNamespace, 'ns').map(keyOf), ['ns/a', 'ns/c']);
    assert.equal(copy.get('ns/a')?.['spec'], undefined, 'metadata only');
    assert.equal(copy.get('ns/a')?.metadata.managedFields, undefined);
  });

  it('list in pages, and list again if the server no longer has the changes', async () => {
    const server = new FakeServer([coreV1.pods]);
    for (let i = 0; i < 1203; i++) server.put(coreV1.pods, pod(`p${i}`));
    const informers = new SharedInformers(server.client);
    const copy = informers.of(coreV1.pods, { fields: ['spec.nodeName'] });
    informers.start(stop.signal);
    await informers.ready();
    assert.equal(copy.size, 1203);
    assert.equal(server.calls.filter((call) => call.startsWith('GET')).length, 3);
    assert.deepEqual(copy.get('ns/p7')?.spec, { nodeName: 'n1' });
    const heard: string[] = [];
    copy.on({ deleted: (object) => heard.push(keyOf(object)) });
    await waitUntil('it watches', () => server.calls.some((call) => call.startsWith('WATCH')));
    server.remove(coreV1.pods, 'p0', 'ns');
    server.compact(coreV1.pods);
    await waitUntil('the deletion has come', () => heard.length === 1);
    assert.deepEqual(heard, ['ns/p0']);
  });

  it('report an object that was deleted and created again as two objects', () => {
    const heard: string[] = [];
    const copy = new Informer();
    const one = (uid: string, resourceVersion: string) => ({ metadata: { name: 'a', uid, resourceVersion } });
    copy.on({
      added: ({ metadata }) => heard.push(`+${metadata.uid}`),
      updated: ({ metadata }) => heard.push(`~${metadata.uid}`),
      deleted: ({ metadata }) => heard.push(`-${metadata.uid}`),
    });
    copy.replace([one('1', '1')]);
    copy.replace([one('2', '2')]);
    copy.replace([one('2', '2')]);
    copy.replace([one('2', '3')]);
    copy.replace([]);
    assert.deepEqual(heard, ['+1', '-1', '+2', '~2', '-2']);
  });

  it('share one copy with the fields that all users need', () => {
    const informers = new SharedInformers(new FakeServer([coreV1.pods]).client);
    const first = informers.of(coreV1.pods, { fields: ['spec.nodeName'] });
    assert.equal(informers.of(coreV1.pods, { fields: ['status.phase'] }), first);
    assert.equal(informers.of(coreV1.pods), first);
    informers.start(stop.signal);
    assert.equal(informers.of(coreV1.pods, { fields: ['status.phase'] }), first);
    assert.throws(() => informers.of(coreV1.pods, { fields: '*' }), /before the start/);
  });

  it('continue after an event handler throws', () => {
    const errors: unknown[] = [];
    const copy = new Informer((error) => errors.push(error));
    let heard = 0;
    copy.on({
      added: () => {
        throw new Error('mine');
      },
    });
    copy.on({ added: () => heard++ });
    copy.replace([{ metadata: { name: 'a' } }]);
    assert.deepEqual([errors.length, heard], [1, 1]);
  });
});

describe('Projection', () => {
  const naming = createNaming('orch');
  const whole = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'a',
      managedFields: [{}],
      annotations: { 'orchctl.orch.io/last-applied-configuration': 'x', b: 'c' },
    },
    spec: { nodeName: 'n', volumes: [{ name: 'v', claim: { claimName: 'x' } }, { name: 'w' }], more: 1 },
    status: { phase: 'Running', ip: '1.2.3.4' },
  };
  const small = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', annotations: { b: 'c' } } };

  for (const [fields, expected] of [
    [[], {}],
    [['status'], { status: whole.status }],
    [['status.phase', 'spec.nodeName'], { status: { phase: 'Running' }, spec: { nodeName: 'n' } }],
    [['spec.volumes.claim'], { spec: { volumes: [{ claim: { claimName: 'x' } }, {}] } }],
    [['spec', 'spec.nodeName'], { spec: whole.spec }],
    [['data'], {}],
    ['*', { spec: whole.spec, status: whole.status }],
  ] as const)
    it(`keeps ${String(fields) || 'metadata'}`, () => {
      assert.deepEqual(new Projection(fields, naming).apply(structuredClone(whole)), { ...small, ...expected });
    });

  it('unite() and covers() combine and compare field lists', () => {
    assert.deepEqual(unite(['b'], ['a', 'b']), ['a', 'b']);
    assert.equal(unite(['b'], '*'), '*');
    assert.ok(covers(['spec'], ['spec.nodeName']));
    assert.ok(!covers(['spec.nodeName'], ['spec']));
    assert.ok(covers('*', ['a']) && !covers(['a'], '*'));
  });
});
