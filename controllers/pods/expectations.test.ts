import assert from 'node:assert/strict';
import { ApiError } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { Informer } from '#client/informer/informer.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { Expectations, upToDate } from './expectations.ts';

describe('expectations', () => {
  let signal: AbortSignal;
  beforeEach(() => {
    ({ signal } = new AbortController());
  });

  async function isOpen(promise: Promise<unknown>): Promise<boolean> {
    const turn = new Promise((resolve) => setImmediate(resolve, 'open'));
    return (await Promise.race([promise, turn])) === 'open';
  }

  it('wait until the informer shows the last write of a key, but not writes of other keys', async () => {
    const server = new FakeServer([coreV1.pods]);
    const copy = new Informer<Pod>();
    copy.reached('1');
    const term = { client: server.client, informer: () => copy as never, signal };
    const expectations = new Expectations(term, [coreV1.pods]);
    await expectations.seen('ns/a');
    const pods = expectations.client('ns/a').resource(coreV1.pods).in('ns');
    const { metadata } = await pods.create({ metadata: { name: 'p', namespace: 'ns' } });
    const seen = expectations.seen('ns/a');
    assert.equal(await isOpen(seen), true);
    assert.equal(await isOpen(expectations.seen('ns/b')), false);
    copy.reached(metadata.resourceVersion!);
    await seen;
  });

  it('wait until the informer shows a delete', async () => {
    const server = new FakeServer([coreV1.pods]);
    const pod = server.put(coreV1.pods, { metadata: { name: 'p', namespace: 'ns' } });
    const copy = new Informer<Pod>();
    copy.replace([pod]);
    copy.reached(pod.metadata.resourceVersion!);
    const term = { client: server.client, informer: () => copy as never, signal };
    const expectations = new Expectations(term, [coreV1.pods]);
    const { metadata } = await expectations.client('ns/a').resource(coreV1.pods).in('ns').delete('p');
    const seen = expectations.seen('ns/a');
    assert.equal(await isOpen(seen), true);
    copy.change('DELETED', pod);
    copy.reached(metadata.resourceVersion!);
    await seen;
  });

  it('a new leader waits for the writes of the previous leader', async () => {
    const server = new FakeServer([coreV1.pods]);
    const copy = new Informer<Pod>();
    copy.reached('1');
    const { metadata } = server.put(coreV1.pods, { metadata: { name: 'p', namespace: 'ns' } });
    const current = upToDate({ reader: server.client, informer: () => copy as never, signal }, [coreV1.pods]);
    assert.equal(await isOpen(current), true);
    copy.reached(metadata.resourceVersion!);
    await current;
  });

  it('a new leader asks again if a request fails', async () => {
    const server = new FakeServer([coreV1.pods]);
    let refused = 0;
    server.handle(() => {
      if (refused++ > 0) return undefined;
      throw new ApiError(500, { code: 500, reason: 'InternalError' });
    });
    await upToDate({ reader: server.client, informer: () => new Informer<Pod>() as never, signal }, [coreV1.pods]);
    assert.equal(refused, 2);
  });
});
