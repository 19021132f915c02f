import assert from 'node:assert/strict';
import { CHUNK, Chunker, recycle } from './chunker.ts';

function collect(expected: number, pieces: readonly Buffer[]): Buffer[] {
  const chunker = new Chunker(expected);
  const out: Buffer[] = [];
  for (const piece of pieces) out.push(...(chunker.add(piece) ?? []));
  return [...out, chunker.rest()];
}

describe('the chunks of a list', () => {
  const piece = (length: number, letter: string): Buffer => Buffer.alloc(length, letter);
  const cases: [string, number, Buffer[]][] = [
    ['nothing', 0, []],
    ['as many bytes as expected', 3, [piece(1, 'a'), piece(2, 'b')]],
    ['more bytes than expected', 2, [piece(2, 'a'), piece(3, 'b'), piece(1, 'c')]],
    ['several chunks', 3 * CHUNK, Array.from({ length: 70 }, (_, i) => piece(50_000, String(i % 10)))],
    ['a piece larger than a chunk', 10, [piece(5, 'a'), piece(CHUNK + 7, 'b'), piece(5, 'c')]],
  ];
  for (const [name, expected, pieces] of cases) {
    it(`contain ${name}, in order`, () => {
      const chunks = collect(expected, pieces);
      assert.ok(Buffer.concat(chunks).equals(Buffer.concat(pieces)));
    });
  }

  it('are reused only after recycle(), and once each', () => {
    const first = collect(CHUNK, [piece(CHUNK, 'a')])[0]!;
    const second = collect(CHUNK, [piece(CHUNK, 'b')])[0]!;
    assert.equal(first[0], 0x61);
    recycle(first);
    recycle(first);
    const third = collect(CHUNK, [piece(CHUNK, 'c')])[0]!;
    const fourth = collect(CHUNK, [piece(CHUNK, 'd')])[0]!;
    assert.deepEqual([second[0], third[0], fourth[0]], [0x62, 0x63, 0x64]);
  });

  it('are taken from the pool when the first bytes are written', () => {
    const chunker = new Chunker(CHUNK);
    chunker.add(piece(CHUNK, 'a'));
    const full = chunker.add(piece(1, 'b'))![0]!;
    recycle(full);
    chunker.add(piece(1, 'c'));
    const rest = chunker.rest();
    assert.equal(rest.buffer, full.buffer, 'the one that came back meanwhile');
    assert.equal(rest.toString(), 'bc');
  });

  it('are not made from other buffers', () => {
    const other = piece(10, 'x');
    recycle(other);
    const chunk = collect(CHUNK, [piece(CHUNK, 'y')])[0]!;
    assert.notEqual(chunk.buffer, other.buffer);
  });
});
