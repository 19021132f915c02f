import assert from 'node:assert/strict';
import fc from 'fast-check';
import { joinPacked, plainLength } from './join-packed.ts';
import { pack, packedHash, unpack } from './pack.ts';

describe('joinPacked', () => {
  it('unpacks to the parts one after the other', async function () {
    this.timeout(60_000);
    const text = fc.oneof(
      fc.string(),
      fc.string({ minLength: 1 }).map((part) => part.repeat(30_000)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 6 }), async (texts) => {
        const packed = await Promise.all(texts.map((one) => pack([one])));
        const joined = joinPacked(packed);
        assert.equal((await unpack(joined.gzip)).toString(), texts.join(''));
        assert.equal(plainLength(joined), Buffer.byteLength(texts.join('')));
      }),
      { interruptAfterTimeLimit: 5_000 },
    );
  });

  it('accepts results of joinPacked', async () => {
    const [a, b, c] = await Promise.all(['a', 'b'.repeat(100_000), 'c'].map((one) => pack([one])));
    const joined = joinPacked([joinPacked([a!, b!]), c!]);
    assert.equal((await unpack(joined.gzip)).toString(), `a${'b'.repeat(100_000)}c`);
  });

  it('has a hash that is equal for equal parts', async () => {
    const hash = async (...texts: string[]) =>
      packedHash(joinPacked(await Promise.all(texts.map((one) => pack([one])))));
    assert.match(await hash('a', 'b'), /^[0-9A-F]{128}$/);
    assert.equal(await hash('a', 'b'), await hash('a', 'b'));
    assert.notEqual(await hash('a', 'b'), await hash('b', 'a'));
  });
});
