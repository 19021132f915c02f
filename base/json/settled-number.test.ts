import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonValue } from './json-value.ts';
import { parseExactly } from './parse-exactly.ts';
import { parseTrusted } from './parse-stored.ts';
import { mayBeUnsettled, settleNumbers } from './settled-number.ts';
import { stringify } from './stringify.ts';

const settled = (text: string): string => stringify(settleNumbers(parseExactly(text).value));

describe('settleNumbers', () => {
  const cases: readonly (readonly [given: string, becomes: string])[] = [
    ['1', '1'],
    ['1.0', '1'],
    ['-1.0', '-1'],
    ['1e3', '1000'],
    ['1E3', '1000'],
    ['1e+06', '1000000'],
    ['100e-2', '1'],
    ['1.10', '1.1'],
    ['1.5', '1.5'],
    ['15e-1', '1.5'],
    ['0.0', '0'],
    ['-0', '0'],
    ['-0.0', '0'],
    ['-0e5', '0'],
    ['1e20', '100000000000000000000'],
    ['1e21', '1e+21'],
    ['1E21', '1e+21'],
    ['1e-6', '0.000001'],
    ['1e-7', '1e-7'],
    ['0.0000001', '1e-7'],
    ['0.1234567890123456789', '0.12345678901234568'],
    ['123456789012345678', '123456789012345678'],
    ['-8388608.000000003', '-8388608.000000004'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9007199254740993.0', '9007199254740992'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9223372036854775808', '9223372036854776000'],
    ['12345678901234567890', '12345678901234567000'],
    ['1234567890123456789012', '1.2345678901234568e+21'],
    ['1e400', '1e400'],
  ];
  for (const [given, becomes] of cases)
    it(`${given} becomes ${becomes}`, () => {
      assert.equal(settled(given), becomes);
      assert.equal(settled(becomes), becomes);
      assert.equal(
        settled(`{"__proto__":[${given},"1.0",null],"a":{"b":${given}}}`),
        `{"__proto__":[${becomes},"1.0",null],"a":{"b":${becomes}}}`,
      );
      // The text around a number does not matter.
      const stored = parseTrusted(`{"a":${given},"b":9007199254740993}`);
      assert.equal(stringify(stored), `{"a":${becomes},"b":9007199254740993}`);
      assert.equal(mayBeUnsettled(Buffer.from(`{"a":"x","b":[2,${given}]}`)), given !== becomes || CLOSE.has(given));
    });
  /** Numbers that the check must examine closely although they are already canonical. */
  const CLOSE = new Set(['1e400', '1e-7', '9223372036854775807', '-9223372036854775808', '123456789012345678']);

  it('changes only texts that mayBeUnsettled reports', () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
      fc
        .tuple(fc.integer(), fc.stringMatching(/^(\.[0-9]{1,22})?([eE][-+]?[0-9]{1,2})?$/))
        .map(([whole, rest]) => `${whole}${rest}`),
    );
    fc.assert(
      fc.property(fc.array(number, { minLength: 1 }), (numbers) => {
        const text = `{"a":[${numbers.join()}],"b":${numbers[0]}}`;
        const value = parseExactly(text).value;
        const now = stringify(settleNumbers(value));
        if (now !== text) assert.ok(mayBeUnsettled(Buffer.from(text)), text);
        assert.equal(stringify(settleNumbers(parseExactly(now).value as JsonValue)), now);
      }),
      { interruptAfterTimeLimit: 5_000 },
    );
  });

  it('mayBeUnsettled reports no ordinary object', () => {
    const text = JSON.stringify({
      metadata: { uid: 'c9c45694-3e1b-4212-9c24-a0d1d6ac74e0', resourceVersion: '1e5', name: 'v1.0' },
      spec: { image: 'registry:5000/app:1.10', ratio: 1.25, none: 0, many: 1_700_000_000_000, ports: [80, 443] },
    });
    assert.equal(mayBeUnsettled(Buffer.from(text)), false);
  });
});
