import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Writer } from 'protobufjs/minimal.js';
import { FrameReader, frameOf } from './grpc-frame.ts';

/** Cuts bytes into chunks of these sizes, and the rest. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...chunks, bytes.subarray(at)];
}

describe('FrameReader', () => {
  it('returns the messages for any chunk boundaries', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 200 })), fc.array(fc.nat(50)), (texts, sizes) => {
        const frames = texts.map((text) => frameOf(Writer.create().string(text)));
        const reader = new FrameReader();
        const messages = cut(Buffer.concat(frames), sizes).flatMap((chunk) => reader.push(chunk));
        assert.deepEqual(
          messages,
          texts.map((text) => Buffer.from(Writer.create().string(text).finish())),
        );
        assert.equal(reader.partial, false);
      }),
    );
  });

  it('knows whether a message is incomplete', () => {
    const frame = frameOf(Writer.create().string('abc'));
    for (let length = 1; length < frame.length; length++) {
      const reader = new FrameReader();
      assert.deepEqual(reader.push(frame.subarray(0, length)), []);
      assert.equal(reader.partial, true);
    }
  });

  it('does not copy a message that arrives in one chunk', () => {
    const chunk = Buffer.concat([frameOf(Writer.create().string('abc')), frameOf(Writer.create().string('d'))]);
    for (const message of new FrameReader().push(chunk)) assert.equal(message.buffer, chunk.buffer);
  });

  it('refuses too large messages after reading their header', () => {
    assert.throws(() => new FrameReader().push(Buffer.of(0, 0xff, 0xff, 0xff, 0xff)), /a message of 4294967295 bytes/);
    assert.throws(() => new FrameReader().push(Buffer.of(0, 0x20, 0, 0, 1)), /a message of 536870913 bytes/);
    assert.deepEqual(new FrameReader().push(Buffer.of(0, 0x20, 0, 0, 0)), []);
  });

  it('refuses compressed messages', () => {
    assert.throws(() => new FrameReader().push(Buffer.of(1, 0, 0, 0, 0)), /compressed/);
  });
});
