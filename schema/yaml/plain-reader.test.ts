import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseJson } from '#base/json/parse.ts';
import { tries } from '#scripts/tries.ts';
import { readCompletely } from './complete-reader.ts';
import { NotPlain } from './line-cursor.ts';
import { parseYaml } from './parse.ts';
import { readPlain } from './plain-reader.ts';

/** Pieces of documents, in any order. */
const PIECES = [
  ...['a', 'key', 'k: v', '1', '-1', '0x1f', '1.5', 'yes', 'null', '~', 'é', '😀', '\u2028', '=', '<<', '---', '.inf'],
  ...[': ', ':', '- ', '-', '? ', ', ', ',', '[', ']', '{', '}', '|', '>', '|-', '>-', '|+', '%', '@', '&a ', '*a'],
  ...['"', "'", '"x"', "'y'", "''", '"a":1', '\\n', '\\', '\\u0041', '\\x41', '!!str ', ' #c', '#', ' ', '  ', '\t'],
  ...[
    '\n',
    '\n  ',
    '\n    ',
    '\n ',
    '\n- ',
    '\n  - ',
    '\n\n',
    'k2: |\n  t\n  u\n',
    'k3: >-\n  t\n  u\n\n  v\n',
    'a: [',
  ],
];

/** The result of a reader, or its error. */
function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error instanceof NotPlain ? 'not plain' : (error as Error).message;
  }
}

/**
 * Processor time in milliseconds. It is the minimum of three tries, so that other work has little effect. One try is
 * enough if it takes less than `bound`.
 */
function cost(work: () => unknown, bound = 0): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && least >= bound; i++) {
    const before = process.cpuUsage();
    outcome(work);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

describe('readPlain', function () {
  this.timeout(60_000);

  it('agrees with the complete parser on every document that it accepts', () => {
    let taken = 0;
    const document = fc
      .tuple(fc.constantFrom('', 'a:\n  b: 1\n'), fc.array(fc.constantFrom(...PIECES), { maxLength: 22 }))
      .map(([before, pieces]) => before + pieces.join(''));
    fc.assert(
      fc.property(document, (text) => {
        // A text after a document is not part of it, but the complete reader reads its beginning.
        const plain = /\n---/.test(text) ? 'not plain' : outcome(() => ({ value: readPlain(text), duplicates: [] }));
        if (plain === 'not plain') return;
        taken++;
        assert.deepEqual(
          plain,
          outcome(() => readCompletely(text, 1)),
        );
      }),
      { numRuns: tries(100_000), interruptAfterTimeLimit: 5_000 },
    );
    assert.ok(taken > 100, `${taken} documents were plain`);
  });

  const plain: readonly (readonly [what: string, text: string, value: unknown])[] = [
    [
      'lists at the indentation of their key',
      'a:\n- b\n- c: 1\n  d:\n  - e\nf: 2\n',
      { a: ['b', { c: 1, d: ['e'] }], f: 2 },
    ],
    ['lists in lists', '- - a\n  - b\n-\n  - c\n', [['a', 'b'], ['c']]],
    ['texts of several lines', "a: one\n  two\n\n  three\nb: 'x\n\n  y''s'\n", { a: 'one two\nthree', b: "x\ny's" }],
    ['blocks', 'a: |\n  x\n   y\n\nb: >-\n  p\n  q\n\n  r\nc: |+\n  z\n\n', { a: 'x\n y\n', b: 'p q\nr', c: 'z\n\n' }],
    ['multi-line braces', 'a: [\n  b, {c: d}\n]\ne: {"f": 1,\n  g}\n', undefined],
    ['closing brackets on their own line', 'a: [\n  b, {c: d},\n]\n', { a: ['b', { c: 'd' }] }],
    ['comments', '# x\n---\n# y\na: b # z\n  # w\nc: d#e\n', { a: 'b', c: 'd#e' }],
    ['escapes', 'a: "\\u00e9\\x41\\n\\"\\\\n"\n', { a: 'éA\n"\\n' }],
    ['only the first document', 'a: 1\n---\n[', { a: 1 }],
    ['anchors', 'a: &x 1\n', undefined],
    ['tags', 'a: !!str 1\n', undefined],
    ['complex keys', '? a\n: b\n', undefined],
    ['duplicate keys', 'a: 1\na: 2\n', undefined],
    ['tabs between values', 'a:\t1\n', undefined],
    ['merges', 'a: {<<: {b: 1}}\n', undefined],
  ];
  for (const [what, text, value] of plain) {
    it(`${value === undefined ? 'does not read' : 'reads'} ${what}`, () => {
      assert.deepEqual(
        outcome(() => readPlain(text)),
        value === undefined ? 'not plain' : value,
      );
    });
  }

  it('parseYaml accepts Windows line ends', () => {
    assert.deepEqual(parseYaml('a:\r\n- b\r\n- "c\r\n  d"\r\n').value, { a: ['b', 'c d'] });
  });

  it('parseYaml names the line that makes it refuse a large document', () => {
    const text = `${'a: 1\n'.repeat(1).concat('# x\n'.repeat(20_000))}b: &x 1\n`;
    assert.throws(() => parseYaml(text), /^Error: yaml: line 20002: a document of this size must not have anchors/);
  });

  // If the complete reader read it directly, each text would cost at least fifty times as much as JSON.
  const pieces = ['a,', '- a\n', 'a: 1\n', '*a,', '&a a,', '!!str a,', '? a\n', '}', '\t\n', '"a":1,', 'a\n\n', '[],'];
  const begins = ['', 'a: [', 'x: &a |\n ', 'a: &a [', '{', 'a: >\n '];
  for (const size of [30_000, 300_000]) {
    it(`parseYaml costs at most four times as much as parseJson for ${size} bytes`, () => {
      const json = Array.from({ length: size / 12 }, (_, i) => `"k${i}":1`);
      const bound = 4 * cost(() => parseJson(`{${json.join()},"k1":1}`));
      for (const begin of begins) {
        for (const piece of pieces) {
          const text = Buffer.from(begin + piece.repeat(size / piece.length));
          const took = cost(() => parseYaml(text), bound);
          // This allows five milliseconds for other work of the process at the same time.
          assert.ok(took < bound + 5, `${JSON.stringify(begin + piece)}: ${took} ms, JSON ${bound / 4} ms`);
        }
      }
    });
  }
});
