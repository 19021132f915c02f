import assert from 'node:assert/strict';
import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import { parseYaml, strictYamlError } from './parse.ts';

describe('parseYaml', function () {
  this.timeout(20_000);

  const values: [text: string, value: JsonValue, duplicates?: string[]][] = [
    ['', null],
    ['null', null],
    ['# comment\n---\na: {b: [c, null]}\n', { a: { b: ['c', null] } }],
    ['a: 1\n---\nb: 2\n', { a: 1 }],
    ['{"b":1e2,"a":[true,"yes"]}', { a: [true, 'yes'], b: 100 }],
    ['a: yes\nb: off\nc: "no"\nd: !!str 1\n', { a: true, b: false, c: 'no', d: '1' }],
    ['a: 010\nb: 0o10\nc: 0x1F\nd: 1_000\ne: 0b11\nf: -5\n', { a: 8, b: 8, c: 31, d: 1000, e: 3, f: -5 }],
    ['a: 0o\nb: 0O\nc: 0x\nd: -0b\ne: 0\n', { a: '0o', b: '0O', c: '0x', d: '-0b', e: 0 }],
    ['a: 1e3\nb: .5\nc: 1.0\n', { a: 1000, b: 0.5, c: 1 }],
    ['a: 9007199254740993\n', { a: new JsonNumber('9007199254740993') }],
    ['a: 12:30\nb: 2020-01-02\nc: 1.2.3.4\nd: ~\n', { a: '12:30', b: '2020-01-02', c: '1.2.3.4', d: null }],
    ['k: |\n  line1\n  line2\n', { k: 'line1\nline2\n' }],
    ['a: &x val\nb: *x\n', { a: 'val', b: 'val' }],
    ['a: &a {x: 1, z: 2}\nb:\n  <<: *a\n  z: 3\n', { a: { x: 1, z: 2 }, b: { x: 1, z: 3 } }],
    ['1: x\n2.5: z\n', { 1: 'x', '2.5': 'z' }],
    ['n: a\ny: b\non: c\n', { false: 'a', true: 'c' }, ['line 3: key true already set in map']],
    [
      'a:\n  x: 1\n  x: 2\na: 3\n',
      { a: 3 },
      ['line 3: key "x" already set in map', 'line 4: key "a" already set in map'],
    ],
    ['a:\n  x: 1\na:\n  y: 2\n', { a: { true: 2 } }, ['line 4: key "a" already set in map']],
    ['{"x":"1","x":"2"}', { x: '2' }, ['line 1: key "x" already set in map']],
  ];
  for (const [text, value, duplicates = []] of values) {
    it(`reads ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseYaml(text), { value, duplicates });
      assert.deepEqual(parseYaml(new TextEncoder().encode(text)), { value, duplicates });
    });
  }

  const refused: [text: string, why: string][] = [
    ['a:\n\tb: 1\n', 'yaml: line 2: found character that cannot start any token'],
    ['a: b: c\n', 'yaml: line 1: mapping values are not allowed in this context'],
    ['a: *x\n', "yaml: anchor 'x' is unknown"],
    ['a: &a [*a]\n', "yaml: anchor 'a' value contains itself"],
    ['? [a]\n: b\n', 'yaml: unsupported map key of collection type'],
    ['a: .inf\n', 'json: unsupported value: .inf'],
    ['a: "\u0001"\n', 'yaml: control characters are not allowed'],
  ];
  for (const [text, why] of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => parseYaml(text), new MalformedBodyError(why)));
  }

  it('refuses too many aliases and too deep nesting', () => {
    const levels = [...'abcdefgh'].map((name, i, names) => {
      const item = i === 0 ? 'x' : `*${names[i - 1]}`;
      return `${name}: &${name} [${Array(9).fill(item).join(',')}]`;
    });
    assert.throws(() => parseYaml(levels.join('\n')), /excessive aliasing/);
    for (const text of ['[', 'a: {b: ', '- ', '{"a":']) {
      assert.throws(() => parseYaml(text.repeat(100_000)), /exceeded max depth|of this size/);
    }
    assert.doesNotThrow(() => parseYaml('['.repeat(200) + ']'.repeat(200)));
  });

  it('accepts JSON of any size and files of ten thousand lines', () => {
    const list = Array.from({ length: 400_000 }, () => 'a');
    const spread = ` \n ${JSON.stringify({ list }, null, 1)}\n`;
    assert.deepEqual(parseYaml(spread).value, { list });
    assert.deepEqual(parseYaml(JSON.stringify(list)).value, list);
    const lines = Array.from({ length: 10_000 }, (_, i) => `k${i}: v${i}`);
    assert.equal(Object.keys(parseYaml(lines.join('\n')).value as object).length, 10_000);
    assert.deepEqual(parseYaml(`k: |\n${'  line\n'.repeat(140_000)}`).value, { k: 'line\n'.repeat(140_000) });
  });

  const small: [what: string, piece: string, before: string, after: string][] = [
    ['items of a flow list', 'a,', '[', ']'],
    ['items of an unclosed flow list', 'a,', '[[[', ''],
    ['items of a list', '- a\n', '', ''],
    ['members of a flow object', 'a: 1, ', '{', '}'],
    ['complex keys', '? a\n', '', ''],
    ['aliases', '*a,', '- &a 1\n- [', ']'],
    ['anchors', '&a a,', '[', ']'],
    ['tags', '!!str a,', '[', ']'],
    ['empty lists', '[],', '[', ']'],
    ['comments', '#\n', '', 'a: 1'],
    ['empty lines', '\n', 'a: 1', ''],
    ['lines of a text', '  a\n', 'a: |\n', ''],
    ['directives', '%a\n', '', '---\n'],
    ['duplicate keys', '"a":1,', '{', '"a":1}'],
  ];
  for (const [what, piece, before, after] of small) {
    it(`refuses three megabytes of ${what} quickly`, () => {
      const text = before + piece.repeat(3_000_000 / piece.length) + after;
      const memory = process.memoryUsage.rss();
      const start = process.cpuUsage();
      assert.throws(() => parseYaml(text), /too many (values|directives|lines)|of this size/);
      // The limits are ten times the values on a machine at rest. Without a limit, some cases take half a minute and
      // gigabytes.
      const { user, system } = process.cpuUsage(start);
      assert.ok(user + system < 4_000_000, `${(user + system) / 1000} ms`);
      assert.ok(process.memoryUsage.rss() - memory < 500_000_000, `${process.memoryUsage.rss() - memory} bytes`);
    });
  }

  it('reads __proto__ as an ordinary key', () => {
    assert.deepEqual(Object.keys(parseYaml('__proto__:\n  x: 1\n').value as object), ['__proto__']);
  });

  it('strictYamlError lists duplicate keys', () => {
    assert.equal(
      strictYamlError(['line 7: key "x" already set in map']),
      'yaml: unmarshal errors:\n  line 7: key "x" already set in map',
    );
  });
});
