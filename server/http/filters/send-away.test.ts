import assert from 'node:assert/strict';
import type { Answer } from '../../api/answer.ts';
import type { RequestContext } from '../../api/request-context.ts';
import { RequestEnd } from '../../api/request-end.ts';
import { sendAway } from './send-away.ts';

function request(path: string, info: object = {}): RequestContext {
  return { info: { path, group: '', resource: '', subresource: '', ...info }, end: new RequestEnd() } as never;
}

const answered = async (): Promise<Answer> => ({ kind: 'text', status: 200, text: 'ok' });
const watching = async (): Promise<Answer> => ({ kind: 'watch' }) as Answer;

describe('a server that shuts down with Retry-After', () => {
  it('refuses new requests, except health probes and requests for metrics', async () => {
    const { filter, begin } = sendAway();
    await begin(1_000);
    assert.deepEqual(await filter(request('/api/v1/pods'), answered), {
      kind: 'text',
      status: 429,
      text: 'The apiserver is shutting down, please try again later.\n',
      headers: { 'X-Content-Type-Options': 'nosniff', Connection: 'close', 'Retry-After': '5' },
    });
    const exec = { resource: 'pods', subresource: 'exec' };
    assert.equal(((await filter(request('/exec', exec), answered)) as { status: number }).status, 429);
    for (const path of ['/readyz', '/readyz/ping', '/livez', '/healthz', '/metrics'])
      assert.deepEqual(await filter(request(path), answered), await answered(), path);
    assert.equal(((await filter(request('/metricsother'), answered)) as { status: number }).status, 429);
  });

  it('waits until requests in progress are answered, but does not wait for watches', async () => {
    const { filter, begin } = sendAway();
    const [slow, watch] = [request('/api/v1/pods'), request('/api/v1/pods')];
    slow.end.answered(await filter(slow, answered));
    watch.end.answered(await filter(watch, watching));
    let ended = false;
    const departed = begin(10_000).then(() => {
      ended = true;
    });
    await new Promise(setImmediate);
    assert.equal(ended, false);
    slow.end.come();
    await departed;
  });

  it('stops waiting after the time limit', async () => {
    const { filter, begin } = sendAway();
    await filter(request('/api/v1/pods'), answered);
    await begin(20);
  });
});
