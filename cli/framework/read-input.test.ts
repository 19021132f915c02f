import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { readAll } from './read-input.ts';

describe('reading all of a stream', () => {
  it('joins what comes in pieces, also within a character', async () => {
    const stream = new PassThrough();
    const bytes = Buffer.from('aé☃');
    for (const byte of bytes) stream.write(Buffer.of(byte));
    stream.end();
    assert.equal(await readAll(stream, new AbortController().signal), 'aé☃');
  });

  it('ends at the signal, while the stream goes on', async () => {
    const stream = new PassThrough();
    const interrupted = new AbortController();
    stream.write('a: b');
    const read = readAll(stream, interrupted.signal);
    interrupted.abort();
    await assert.rejects(read, { name: 'AbortError' });
  });

  it('does not begin when it was ended before', async () => {
    await assert.rejects(readAll(new PassThrough(), AbortSignal.abort()), { name: 'AbortError' });
  });
});
