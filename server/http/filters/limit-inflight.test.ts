import assert from 'node:assert/strict';
import type { Answer } from '../../api/answer.ts';
import type { RequestContext } from '../../api/request-context.ts';
import { RequestEnd } from '../../api/request-end.ts';
import { limitInflight } from './limit-inflight.ts';

function request(verb: string, group = 'dev'): RequestContext {
  const info = { verb, isResource: true, subresource: '', parts: ['pods'] };
  return { info, user: { name: 'bob', groups: [group] }, end: new RequestEnd() } as unknown as RequestContext;
}

const list = async (): Promise<Answer> => ({ kind: 'list' }) as Answer;
const watch = async (): Promise<Answer> => ({ kind: 'watch' }) as Answer;
const failure = async (): Promise<Answer> => {
  throw new Error('no');
};
const refused = { code: 429 };

describe('limitInflight', () => {
  it('counts a request until the client has taken its answer', async () => {
    const inflight = limitInflight(1, 1);
    const slow = request('list');
    slow.end.answered(await inflight.filter(slow, list));
    assert.equal(inflight.reading, 1, 'the answer is still being written');
    await assert.rejects(async () => inflight.filter(request('get'), list), refused);
    slow.end.come();
    assert.equal(inflight.reading, 0);
    await inflight.filter(request('get'), list);
  });

  it('counts a watch only until it has begun', async () => {
    const inflight = limitInflight(1, 1);
    const begun = request('watch');
    begun.end.answered(await inflight.filter(begun, watch));
    assert.equal(inflight.reading, 0);
    begun.end.come();
    assert.equal(inflight.reading, 0);
  });

  it('stops counting requests that fail', async () => {
    const inflight = limitInflight(1, 1);
    const failing = request('create');
    await assert.rejects(async () => inflight.filter(failing, failure));
    assert.equal(inflight.mutating, 1, 'the error is still to be written');
    failing.end.come();
    assert.equal(inflight.mutating, 0);
  });

  it('counts reads and writes separately, and does not limit administrators', async () => {
    const inflight = limitInflight(1, 1);
    await inflight.filter(request('list'), list);
    await inflight.filter(request('create'), list);
    await assert.rejects(async () => inflight.filter(request('create'), list), refused);
    await inflight.filter(request('create', 'system:masters'), list);
  });

  it('does not limit health probes, but limits paths that only look like probes', async () => {
    const probe = (path: string, method = 'GET', isResource = false) => {
      const info = { verb: method.toLowerCase(), method, isResource, path, subresource: '', parts: [] };
      return { info, user: { name: 'bob', groups: [] }, end: new RequestEnd() } as never;
    };
    const inflight = limitInflight(1, 1);
    await inflight.filter(request('list'), list);
    for (const path of ['/healthz', '/livez', '/readyz', '/readyz/etcd', '/livez/'])
      await inflight.filter(probe(path), list);
    assert.equal(inflight.reading, 1);
    for (const other of [
      probe('/healthzz'),
      probe('/metrics'),
      probe('/livez', 'POST'),
      probe('/livez', 'GET', true),
    ]) {
      await assert.rejects(async () => inflight.filter(other, list), refused);
    }
  });
});
