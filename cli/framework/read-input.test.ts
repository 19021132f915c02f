import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { readAll } from './read-input.ts';

describe('readAll', () => {
  it('joins chunks, even if a chunk ends within a character', async () => {
    const stream = new PassThrough();
    const bytes = Buffer.from('aé☃');
    for (const byte of bytes) stream.write(Buffer.of(byte));
    stream.end();
    assert.equal(await readAll(stream, new AbortController().signal), 'aé☃');
  });

  it('stops when the signal aborts, even if the stream continues', async () => {
    const stream = new PassThrough();
    const interrupted = new AbortController();
    stream.write('a: b');
    const read = readAll(stream, interrupted.signal);
    interrupted.abort();
    await assert.rejects(read, { name: 'AbortError' });
  });

  it('fails at once if the signal is aborted already', async () => {
    await assert.rejects(readAll(new PassThrough(), AbortSignal.abort()), { name: 'AbortError' });
  });
});
