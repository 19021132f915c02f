import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { bytesOfKeys, untilKeys } from './detach-keys.ts';

describe('detach keys', () => {
  const spelt: [text: string, bytes: number[]][] = [
    ['', [16, 17]],
    ['ctrl-p,ctrl-q', [16, 17]],
    ['ctrl-@,ctrl-a,ctrl-z', [0, 1, 26]],
    ['ctrl-[,ctrl-\\,ctrl-],ctrl-^,ctrl-_', [27, 28, 29, 30, 31]],
    ['DEL,a,~', [127, 97, 126]],
  ];
  for (const [text, bytes] of spelt)
    it(`${JSON.stringify(text)} are ${bytes}`, () => assert.deepEqual([...bytesOfKeys(text)], bytes));

  for (const [text, key] of [
    ['ctrl-', 'ctrl-'],
    ['ctrl-A', 'ctrl-A'],
    ['ctrl-p,', ''],
    ['é', 'é'],
    ['esc', 'esc'],
  ])
    it(`${JSON.stringify(text)} is refused`, () => {
      assert.throws(() => bytesOfKeys(text!), { message: `could not bind detach keys: Unknown character: '${key}'` });
    });

  it('end the input at their position, in any chunks', async () => {
    const few = (max: number) => fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: max });
    const keys = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(keys, fc.array(few(6), { maxLength: 6 }), async (sequence, pieces) => {
        let left = 0;
        const stream = untilKeys(Buffer.from(sequence), () => left++);
        const passed = buffer(stream);
        for (const piece of pieces) stream.write(Buffer.from(piece));
        stream.end();
        const whole = Buffer.from(pieces.flat());
        const at = whole.indexOf(Buffer.from(sequence));
        assert.deepEqual([...(await passed)], [...whole.subarray(0, at < 0 ? undefined : at)]);
        assert.equal(left, at < 0 ? 0 : 1);
      }),
      { numRuns: 200 },
    );
  });

  it('hold back a key only while a longer match is possible', async () => {
    const stream = untilKeys(Buffer.from([16, 17]), () => {});
    let text = '';
    stream.on('data', (data: Buffer) => (text += data.toString('hex')));
    for (const [sent, seen] of [
      ['61', '61'],
      ['10', '61'],
      ['10', '6110'],
      ['62', '61101062'],
    ]) {
      stream.write(Buffer.from(sent!, 'hex'));
      await nextTurn();
      assert.equal(text, seen);
    }
  });
});
