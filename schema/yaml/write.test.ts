import assert from 'node:assert/strict';
import fc from 'fast-check';
import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { anyText } from '#server/testing/any-text.ts';
import { parseYaml } from './parse.ts';
import { toYaml } from './write.ts';

describe('toYaml', () => {
  const texts: [value: unknown, text: string][] = [
    [{ b: 1, a: { d: [], c: {}, e: undefined } }, 'a:\n  c: {}\n  d: []\nb: 1\n'],
    [{ l: ['x', { k: 'v', m: ['y'] }, [1, [2]]] }, 'l:\n- x\n- k: v\n  m:\n  - "y"\n- - 1\n  - - 2\n'],
    [[], '[]\n'],
    [null, 'null\n'],
    [
      { a: '', b: 'yes', c: '5', d: '12:30', e: '2020-01-02', f: '~' },
      'a: ""\nb: "yes"\nc: "5"\nd: "12:30"\ne: "2020-01-02"\nf: "~"\n',
    ],
    [
      { a: 'x: y', b: "it's", c: '- a', d: ' x', e: "'q'", f: 'a#b', g: 'a #b' },
      "a: 'x: y'\nb: it's\nc: '- a'\nd: ' x'\ne: '''q'''\nf: a#b\ng: 'a #b'\n",
    ],
    [
      { a: 'l1\nl2\n', b: 'l1\n\nl2', c: ' l1\n', d: 'x\n\n' },
      'a: |\n  l1\n  l2\nb: |-\n  l1\n\n  l2\nc: |2\n   l1\nd: |+\n  x\n\n',
    ],
    [
      { a: 'tab\there', b: '\u0001\ufeff', c: '\u00e9\u{1f600}' },
      'a: "tab\\there"\nb: "\\x01\\uFEFF"\nc: \u00e9\u{1f600}\n',
    ],
    [
      { n: new JsonNumber('9007199254740993'), f: 1.5, t: true, z: null },
      'f: 1.5\n"n": 9007199254740993\nt: true\nz: null\n',
    ],
    [{ a10: 1, a2: 1, B: 1, a: 1, 1: 1, 'a-b': 1 }, '"1": 1\nB: 1\na: 1\na-b: 1\na2: 1\na10: 1\n'],
    [
      { message: 'the server does not allow this method: it is refused since the resource has no such verb at all' },
      "message: 'the server does not allow this method: it is refused since the resource\n  has no such verb at all'\n",
    ],
  ];
  for (const [value, text] of texts)
    it(`writes ${JSON.stringify(text)}`, () => assert.equal(toYaml(value as JsonValue), text));

  it('is read back as the same value', () => {
    const text = fc.oneof(
      fc.string(),
      anyText({ maxLength: 20 }),
      fc.stringMatching(/^[a-z0-9:#\- \n'"]{0,30}$/),
      fc.lorem({ maxCount: 30 }),
      fc.constantFrom(
        'y',
        'null',
        '1e5',
        '---',
        '...',
        '? a',
        'a:',
        '<<',
        '0x1',
        '=',
        '!x',
        '&a',
        '*a',
        '|',
        '\n',
        ' \n ',
      ),
    );
    const { tree } = fc.letrec<{ tree: JsonValue; leaf: JsonValue }>((tie) => ({
      leaf: fc.oneof(
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
      ),
      tree: fc.oneof(
        { maxDepth: 3 },
        tie('leaf'),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(text, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
        assert.deepEqual(parseYaml(`---\n${toYaml(plain)}`).value, plain);
      }),
      { numRuns: 500 },
    );
  });
});
