import assert from 'node:assert/strict';
import { Client } from './client.ts';
import { coreV1 } from './generated/resources.ts';
import { SharedInformers } from './informer/shared-informers.ts';
import { OwnWrites } from './own-writes.ts';
import { isNotOlder } from './resource-version.ts';
import { FakeServer } from './testing/fake-server.ts';

describe('OwnWrites', () => {
  let stop: AbortController;
  let server: FakeServer;
  /** The answers of watches wait for this promise. */
  let held: Promise<void>;
  let letGo: () => void;
  beforeEach(() => {
    stop = new AbortController();
    server = new FakeServer([coreV1.configmaps, coreV1.pods]);
    held = new Promise((resolve) => {
      letGo = resolve;
    });
  });
  afterEach(() => stop.abort());

  /** A copy of a collection whose changes arrive only when the test releases them. */
  async function lateCopy() {
    const late = new Client(
      {
        call: (call) => server.call(call),
        open: (call) => held.then(() => server.open(call)),
        upgrade: (call) => server.upgrade(call),
      },
      server.naming,
    );
    const informers = new SharedInformers(late);
    const copy = informers.of(coreV1.configmaps);
    informers.start(stop.signal);
    await informers.ready();
    return copy;
  }

  /** Whether a promise is still pending when all work in progress has ended. */
  async function isPending(promise: Promise<unknown>): Promise<boolean> {
    const turn = new Promise((resolve) => setImmediate(resolve, 'pending'));
    return (await Promise.race([promise, turn])) === 'pending';
  }

  it('waits until an informer has seen the own creates, changes and deletes', async () => {
    const other = server.put(coreV1.configmaps, { metadata: { name: 'other', namespace: 'ns' } });
    const copy = await lateCopy();
    const writes = new OwnWrites();
    const maps = server.client.remembering(writes).resource(coreV1.configmaps).in('ns');
    await writes.seenBy(copy, coreV1.configmaps);
    const { metadata } = await maps.create({ metadata: { name: 'a' } });
    await maps.patch('a', 'merge', { metadata: { uid: metadata.uid, labels: { a: 'b' } } });
    await maps.delete('other', { preconditions: { uid: other.metadata.uid } });
    const seen = writes.seenBy(copy, coreV1.configmaps);
    assert.ok(await isPending(seen));
    assert.equal(copy.get('ns/a'), undefined);
    letGo();
    await seen;
    assert.equal(copy.get('ns/a')?.metadata.labels?.['a'], 'b');
    assert.equal(copy.get('ns/other'), undefined);
    await writes.seenBy(copy, coreV1.configmaps);
  });

  it('makes later lists of the same type at least as new', async () => {
    const writes = new OwnWrites();
    const client = server.client.remembering(writes);
    assert.deepEqual(writes.notOlder(coreV1.configmaps), {});
    const { metadata } = await client
      .resource(coreV1.configmaps)
      .in('ns')
      .create({ metadata: { name: 'a' } });
    const expected = { resourceVersion: metadata.resourceVersion, resourceVersionMatch: 'NotOlderThan' };
    assert.deepEqual(writes.notOlder(coreV1.configmaps), expected);
    assert.deepEqual(writes.notOlder(coreV1.pods), {});
  });

  it('remembers a delete that is answered without a resource version', async () => {
    const other = server.put(coreV1.configmaps, { metadata: { name: 'other', namespace: 'ns' } });
    const copy = await lateCopy();
    const writes = new OwnWrites();
    const status = { kind: 'Status', status: 'Success', details: { name: 'other', uid: other.metadata.uid } };
    writes.note(coreV1.configmaps, server.naming, status);
    server.remove(coreV1.configmaps, 'other', 'ns');
    const seen = writes.seenBy(copy, coreV1.configmaps);
    assert.ok(await isPending(seen));
    letGo();
    await seen;
    assert.equal(copy.size, 0);
  });

  it('does not remember dry runs', async () => {
    const writes = new OwnWrites();
    const maps = server.client.remembering(writes).resource(coreV1.configmaps).in('ns');
    await maps.create({ metadata: { name: 'a', resourceVersion: '7' } }, { dryRun: true });
    assert.equal(writes.newest(coreV1.configmaps), undefined);
  });

  it('stops waiting when the signal aborts', async () => {
    const copy = await lateCopy();
    const writes = new OwnWrites();
    await server.client
      .remembering(writes)
      .resource(coreV1.configmaps)
      .in('ns')
      .create({ metadata: { name: 'a' } });
    const enough = new AbortController();
    const seen = writes.seenBy(copy, coreV1.configmaps, enough.signal);
    enough.abort(new Error('enough'));
    await assert.rejects(seen, /enough/);
  });

  for (const [version, than, expected] of [
    ['9', '10', false],
    ['10', '9', true],
    ['10', '10', true],
    ['18446744073709551615', '18446744073709551614', true],
  ] as const)
    it(`isNotOlder: ${version} is ${expected ? 'not older' : 'older'} than ${than}`, () =>
      assert.equal(isNotOlder(version, than), expected));
});
