import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Answer } from '../../api/answer.ts';
import type { RequestContext } from '../../api/request-context.ts';
import { limitInflight } from './limit-inflight.ts';

class Response extends EventEmitter {
  destroyed = false;

  close(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function request(verb: string, response: Response, group = 'dev'): RequestContext {
  const info = { verb, isResource: true, subresource: '', parts: ['pods'] };
  return { info, user: { name: 'bob', groups: [group] }, raw: () => ({ response }) } as unknown as RequestContext;
}

const list = async (): Promise<Answer> => ({ kind: 'list' }) as Answer;
const watch = async (): Promise<Answer> => ({ kind: 'watch' }) as Answer;
const failure = async (): Promise<Answer> => {
  throw new Error('no');
};
const refused = { code: 429 };

describe('the limit of requests under way', () => {
  it('counts a request until its answer has been taken', async () => {
    const inflight = limitInflight(1, 1);
    const slow = new Response();
    await inflight.filter(request('list', slow), list);
    assert.equal(inflight.reading, 1, 'the answer is still being written');
    await assert.rejects(async () => inflight.filter(request('get', new Response()), list), refused);
    slow.close();
    assert.equal(inflight.reading, 0);
    await inflight.filter(request('get', new Response()), list);
  });

  it('counts a watch only until it has begun', async () => {
    const inflight = limitInflight(1, 1);
    const response = new Response();
    await inflight.filter(request('watch', response), watch);
    assert.equal(inflight.reading, 0);
    response.close();
    assert.equal(inflight.reading, 0);
  });

  it('forgets requests that fail, and clients that left before', async () => {
    const inflight = limitInflight(1, 1);
    const failing = new Response();
    await assert.rejects(async () => inflight.filter(request('create', failing), failure));
    assert.equal(inflight.mutating, 1, 'the error is still to be written');
    failing.close();
    assert.equal(inflight.mutating, 0);
    const gone = new Response();
    gone.close();
    await inflight.filter(request('create', gone), list);
    assert.equal(inflight.mutating, 0);
  });

  it('counts reads and writes apart, and lets administrators pass', async () => {
    const inflight = limitInflight(1, 1);
    await inflight.filter(request('list', new Response()), list);
    await inflight.filter(request('create', new Response()), list);
    await assert.rejects(async () => inflight.filter(request('create', new Response()), list), refused);
    await inflight.filter(request('create', new Response(), 'system:masters'), list);
  });

  it('answers probes, and counts no others as such', async () => {
    const probe = (path: string, method = 'GET', isResource = false) => {
      const info = { verb: method.toLowerCase(), method, isResource, path, subresource: '', parts: [] };
      return { info, user: { name: 'bob', groups: [] }, raw: () => ({ response: new Response() }) } as never;
    };
    const inflight = limitInflight(1, 1);
    await inflight.filter(request('list', new Response()), list);
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
