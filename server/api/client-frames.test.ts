import assert from 'node:assert/strict';
import { ClientFrames } from './client-frames.ts';

const MASK = [1, 2, 3, 4];

/** A frame of a client. */
function frame(kind: number, payload: string, mask = MASK): Buffer {
  const bytes = Buffer.from(payload);
  const length = bytes.length < 126 ? [0x80 | bytes.length] : [0xfe, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.from([0x80 | kind, ...length, ...mask, ...bytes.map((byte, at) => byte ^ mask[at % 4]!)]);
}

describe('the frames of a client of a web socket', () => {
  const [text, close, ping, pong] = [1, 8, 9, 10] as const;
  const cases: readonly [what: string, sent: readonly Buffer[], reported: readonly string[]][] = [
    ['nothing', [], []],
    ['texts', [frame(text, ''), frame(text, 'x'.repeat(300)), frame(text, 'more')], []],
    ['a ping', [frame(ping, 'hello')], ['ping hello']],
    ['an empty ping', [frame(ping, '')], ['ping ']],
    ['pings between texts', [frame(text, 'a'), frame(ping, '1'), frame(text, 'b'), frame(ping, '2')], ['ping 2']],
    ['a pong', [frame(pong, 'x')], []],
    ['a close, and no frame after it', [frame(close, ''), frame(ping, 'late')], ['close']],
    ['a frame without a mask', [Buffer.from([0x81, 0x01, 0x61])], ['close']],
    ['a ping that is too long', [frame(ping, 'x'.repeat(126))], ['close']],
    ['a frame of more bytes than there are', [Buffer.from([0x82, 0xff, ...Array(8).fill(0xff), ...MASK])], []],
  ];
  const read = (pieces: readonly Buffer[]): readonly string[] => {
    const reported: string[] = [];
    const frames = new ClientFrames({
      onClose: () => reported.push('close'),
      onPing: (payload) => reported.push(`ping ${payload}`),
    });
    for (const piece of pieces) frames.take(piece);
    return reported;
  };
  for (const [what, sent, reported] of cases) {
    it(what, () => {
      const whole = Buffer.concat(sent);
      assert.deepEqual(read([whole]), reported);
      // one byte at a time, each ping is the last one of its piece
      const single = read([...whole].map((byte) => Buffer.from([byte])));
      assert.deepEqual(single.slice(-reported.length || single.length), reported);
    });
  }
});
