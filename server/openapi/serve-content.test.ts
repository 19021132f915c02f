import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { serveContent } from './serve-content.ts';
import { request } from './testing/request.ts';

const modified = Date.parse('2024-05-06T07:08:09Z');
const date = 'Mon, 06 May 2024 07:08:09 GMT';
const earlier = 'Mon, 06 May 2024 07:08:08 GMT';

const zipped = gzipSync('0123456789');

/** The content of an answer. */
async function bytesOf(body: Buffer | AsyncIterable<Buffer>): Promise<Buffer> {
  return Buffer.isBuffer(body) ? body : buffer(body);
}

async function answer(headers: Record<string, string>, method = 'GET', etag: string | undefined = '"tag"') {
  const found = await serveContent(request(`${method} /x`, headers), {
    contentType: 'text/plain',
    etag,
    lastModified: modified + 400,
    headers: { Vary: 'Accept' },
    body: async () => zipped,
  });
  assert.ok(found.kind === 'bytes' || found.kind === 'empty');
  const body = found.kind === 'bytes' ? await bytesOf(found.body) : undefined;
  if (found.kind === 'bytes' && found.length !== undefined) assert.equal(found.length, body?.length);
  return {
    status: found.status,
    body: body?.equals(zipped) === true ? 'zipped' : body?.toString(),
    headers: found.headers!,
  };
}

describe('conditional requests', () => {
  const cases: readonly [headers: Record<string, string>, status: number, body?: string][] = [
    [{}, 200, '0123456789'],
    [{ 'if-none-match': '"tag"' }, 304],
    [{ 'if-none-match': 'W/"tag"' }, 304],
    [{ 'if-none-match': '"a", "tag"' }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"other"' }, 200, '0123456789'],
    [{ 'if-match': '"tag"' }, 200, '0123456789'],
    [{ 'if-match': '*' }, 200, '0123456789'],
    [{ 'if-match': 'W/"tag"' }, 412],
    [{ 'if-match': '"other"' }, 412],
    [{ 'if-modified-since': date }, 304],
    [{ 'if-modified-since': earlier }, 200, '0123456789'],
    [{ 'if-modified-since': 'yesterday' }, 200, '0123456789'],
    [{ 'if-modified-since': date, 'if-none-match': '"other"' }, 200, '0123456789'],
    [{ 'if-unmodified-since': date }, 200, '0123456789'],
    [{ 'if-unmodified-since': earlier }, 412],
    [{ range: 'bytes=0-3' }, 206, '0123'],
    [{ range: 'bytes=7-' }, 206, '789'],
    [{ range: 'bytes=-2' }, 206, '89'],
    [{ range: 'bytes=-99' }, 206, '0123456789'],
    [{ range: 'bytes=8-99' }, 206, '89'],
    [{ range: 'bytes=10-' }, 416],
    [{ range: 'bytes=4-2' }, 416],
    [{ range: 'lines=1-2' }, 416],
    [{ range: 'bytes=0-1,4-5' }, 200, '0123456789'],
    [{ range: 'bytes=0-3', 'if-range': '"tag"' }, 206, '0123'],
    [{ range: 'bytes=0-3', 'if-range': '"other"' }, 200, '0123456789'],
    [{ range: 'bytes=0-3', 'if-range': date }, 206, '0123'],
    [{ range: 'bytes=0-3', 'accept-encoding': 'gzip' }, 206, '0123'],
    [{ 'accept-encoding': 'gzip' }, 200, 'zipped'],
    [{ 'accept-encoding': 'br, gzip;q=0.5' }, 200, 'zipped'],
    [{ 'accept-encoding': 'gzip;q=0' }, 200, '0123456789'],
  ];
  for (const [headers, status, body] of cases) {
    it(`${JSON.stringify(headers)} -> ${status} ${body ?? ''}`, async () => {
      const found = await answer(headers);
      assert.deepEqual({ status: found.status, body: found.body }, { status, body });
    });
  }

  it('are refused with 412 for writes if a read would be unmodified', async () => {
    assert.equal((await answer({ 'if-none-match': '"tag"' }, 'POST')).status, 412);
    assert.equal((await answer({ 'if-modified-since': date }, 'POST')).status, 200);
  });

  it('get the headers that caches need', async () => {
    assert.deepEqual((await answer({})).headers, {
      Vary: 'Accept',
      ETag: '"tag"',
      'Last-Modified': date,
      'Accept-Ranges': 'bytes',
    });
    assert.deepEqual((await answer({ 'if-none-match': '*' })).headers, { Vary: 'Accept', ETag: '"tag"' });
    assert.equal((await answer({ range: 'bytes=2-3' })).headers['Content-Range'], 'bytes 2-3/10');
    assert.equal((await answer({ range: 'bytes=10-' })).headers['Content-Range'], 'bytes */10');
    const compressed = (await answer({ 'accept-encoding': 'gzip' })).headers;
    assert.equal(compressed['Content-Encoding'], 'gzip');
    assert.equal(compressed['Vary'], 'Accept-Encoding, Accept');
  });

  it('do not create the body if the client has it', async () => {
    const content = {
      contentType: 'text/plain',
      etag: '"tag"',
      lastModified: modified,
      headers: {},
      body: () => assert.fail('written'),
    };
    const answered = async (headers: Record<string, string>) =>
      (await serveContent(request('GET /x', headers), content)) as { readonly status: number };
    assert.equal((await answered({ 'if-none-match': '"tag"' })).status, 304);
    assert.equal((await answered({ 'if-match': '"other"' })).status, 412);
  });

  it('get large content in pieces, and only the pieces of a requested range', async () => {
    const body = Buffer.from(Array.from({ length: 200_000 }, (_, i) => `${i} `).join(''));
    for (const [kept, accept] of [
      [body, ''],
      [async () => gzipSync(body), ''],
      [async () => gzipSync(body, { level: 0 }), 'gzip'],
    ] as const) {
      const content = { contentType: 'text/plain', etag: undefined, lastModified: modified, headers: {}, body: kept };
      const whole = await serveContent(request('GET /x', { 'accept-encoding': accept }), content);
      assert.ok(whole.kind === 'bytes' && !Buffer.isBuffer(whole.body));
      const pieces: Buffer[] = [];
      for await (const piece of whole.body) pieces.push(piece);
      assert.ok(pieces.every(({ length }) => length <= 256 * 1024));
      const all = Buffer.concat(pieces);
      assert.ok((accept === '' ? all : gunzipSync(all)).equals(body));
      assert.equal(whole.length, all.length);
      const some = await serveContent(request('GET /x', { range: 'bytes=400000-900001' }), content);
      assert.ok(some.kind === 'bytes' && some.status === 206);
      assert.ok((await bytesOf(some.body)).equals(body.subarray(400_000, 900_002)));
    }
  });
});
