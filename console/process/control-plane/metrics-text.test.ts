import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MetricsText } from './metrics-text.ts';

function read(pieces: readonly string[], isWanted = (_: string) => true): string[] {
  const found: string[] = [];
  const reader = new MetricsText(isWanted, ({ name, labels, value }) => {
    found.push(`${name} ${JSON.stringify(Object.fromEntries(labels))} ${value}`);
  });
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return found;
}

describe('the reader of metrics text', () => {
  const lines: readonly [line: string, read: readonly string[]][] = [
    ['up 1', ['up {} 1']],
    ['a{} 2', ['a {} 2']],
    ['a{b="c",d="e"} 2.5e+06', ['a {"b":"c","d":"e"} 2500000']],
    ['a{b="c",} 2 1700000000000', ['a {"b":"c"} 2']],
    ['a{b="q\\"}\\\\n\\n"} 1', ['a {"b":"q\\"}\\\\n\\n"} 1']],
    ['a{le="+Inf"} 3', ['a {"le":"+Inf"} 3']],
    ['a +Inf', ['a {} Infinity']],
    ['# TYPE a counter', []],
    ['', []],
    ['a NaN', []],
    ['a', []],
    ['a{b="c"', []],
    ['a{b=c} 1', []],
    ['{b="c"} 1', []],
    [`a{b="${'x'.repeat(20_000)}"} 1`, []],
  ];
  for (const [line, expected] of lines)
    it(`reads ${expected[0] ?? 'nothing'} from ${line.slice(0, 40) || 'an empty line'}`, () =>
      assert.deepEqual(read([`${line}\n`, 'z 0']), [...expected, 'z {} 0']));

  it('returns only the wanted metrics', () =>
    assert.deepEqual(
      read(['a 1\nb 2\n'], (name) => name === 'b'),
      ['b {} 2'],
    ));

  it('gives the same result for any chunks', () => {
    const text = lines.map(([line]) => line.slice(0, 100)).join('\n');
    const whole = read([text]);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 10 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        assert.deepEqual(read(at.slice(1).map((end, index) => text.slice(at[index], end))), whole);
      }),
      { numRuns: 50 },
    );
  });
});
