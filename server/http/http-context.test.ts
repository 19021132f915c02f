import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { IncomingRequest, OutgoingResponse } from '../api/exchange.ts';
import { HttpContext } from './http-context.ts';

const leaving = new AbortController().signal;

function contextOf(url: string, headers: Record<string, string>) {
  const rawHeaders = Object.entries(headers).flat();
  const request = { method: 'GET', url, headers, rawHeaders, socket: {} } as unknown as IncomingRequest;
  return { request, context: new HttpContext(request, {} as OutgoingResponse, { requestTimeoutMs: 1000, leaving }) };
}

describe('the context of a long-running request', () => {
  it('drops the request headers, except what the log needs at the end of the request', () => {
    const { request, context } = contextOf('/api/v1/pods?watch=1&timeoutSeconds=9', {
      accept: 'application/json',
      authorization: 'Bearer abc',
      'user-agent': 'a/1',
    });
    const { id } = context;
    context.rest();
    assert.deepEqual(request.headers, { 'user-agent': 'a/1' });
    assert.deepEqual(request.rawHeaders, []);
    assert.equal(context.header('accept'), undefined);
    assert.equal(context.header('user-agent'), 'a/1');
    assert.deepEqual([...context.query.keys()], ['watch', 'timeoutSeconds']);
    assert.deepEqual([context.id, context.info.verb, context.info.resource], [id, 'watch', 'pods']);
  });

  it('stops counting stages, of its own request and of other requests', () => {
    const [one, other] = [contextOf('/a', {}), contextOf('/b', {})].map(({ context }) => context);
    one!.stages.add('etcd', 5);
    for (const { stages } of [one!, other!]) {
      stages.enter('writing');
      stages.rest();
      stages.enter('etcd', 0);
      stages.leave('etcd', 7);
      stages.add('webhook', 3);
      stages.finish();
    }
    const { stages } = contextOf('/c', {}).context;
    for (const counted of [one!.stages, other!.stages, stages])
      assert.deepEqual([counted.of('etcd') + 0, counted.of('webhook') + 0, counted.entered('etcd')], [0, 0, false]);
  });
});

describe('the length of a request body', () => {
  for (const headers of [{}, { 'transfer-encoding': 'chunked' }, { 'content-length': '70000' }]) {
    it(`is counted while the body is read, with headers ${JSON.stringify(headers)}`, async () => {
      const body = Readable.from([Buffer.alloc(30_000), Buffer.alloc(40_000)], { objectMode: false });
      const request = Object.assign(body, { method: 'POST', url: '/api', headers, rawHeaders: [], socket: {} });
      const context = new HttpContext(request as unknown as IncomingRequest, {} as OutgoingResponse, {
        requestTimeoutMs: 10_000,
        leaving,
      });
      assert.equal(context.bodyLength, 0);
      await context.readBody();
      assert.equal(context.bodyLength, 70_000);
    });
  }
});
