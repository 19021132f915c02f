import assert from 'node:assert/strict';
import { acceptOf, frameHead, masked, OPCODES, readFrameHead } from './web-socket-frame.ts';

describe('heads of web socket frames', () => {
  const mask = Buffer.from([1, 2, 3, 4]);
  const rows: readonly [what: string, opcode: number, length: number, mask: Buffer | undefined, hex: string][] = [
    ['an empty text', OPCODES.text, 0, undefined, '8100'],
    ['the longest short length', OPCODES.binary, 125, undefined, '827d'],
    ['the shortest length of two bytes', OPCODES.binary, 126, undefined, '827e007e'],
    ['the longest length of two bytes', OPCODES.binary, 65_535, undefined, '827effff'],
    ['the shortest length of eight bytes', OPCODES.binary, 65_536, undefined, '827f0000000000010000'],
    ['a mask', OPCODES.ping, 5, mask, '898501020304'],
    ['a mask behind a long length', OPCODES.text, 300, mask, '81fe012c01020304'],
  ];
  for (const [what, opcode, length, key, hex] of rows) {
    const head = Buffer.from(hex, 'hex');
    it(`are written with ${what}`, () => assert.deepEqual(frameHead(opcode, length, key), head));
    it(`are read with ${what}`, () => {
      const read = { opcode, isFinal: true, length, mask: key, size: head.length };
      assert.deepEqual(readFrameHead(Buffer.concat([head, Buffer.from('more')])), read);
    });
    it(`are incomplete without their last byte, with ${what}`, () =>
      assert.equal(readFrameHead(head.subarray(0, -1)), undefined));
  }

  it('say whether the message goes on', () =>
    assert.equal(readFrameHead(Buffer.from([OPCODES.text, 0]))?.isFinal, false));
});

describe('the rest of web sockets', () => {
  it('answers the key of RFC 6455', () =>
    assert.equal(acceptOf('dGhlIHNhbXBsZSBub25jZQ=='), 's3pPLMBiTxaQ9kYGzzhZRbK+xOo='));

  it('takes off the mask that it has put on', () => {
    const payload = Buffer.from('a payload');
    const key = Buffer.from([9, 8, 7, 6]);
    assert.deepEqual(masked(masked(payload, key), key), payload);
  });
});
