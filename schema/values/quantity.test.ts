import assert from 'node:assert/strict';
import fc from 'fast-check';
import { canonicalQuantity, compareQuantities, parseQuantity, Quantity } from './quantity.ts';

describe('quantity', () => {
  const spellings: [input: string | number, text: string][] = [
    ['500m', '500m'],
    ['0.5', '500m'],
    ['0.25', '250m'],
    [1.5, '1500m'],
    [2, '2'],
    [1073741824, '1073741824'],
    [1000000000, '1G'],
    ['1000', '1k'],
    ['1000m', '1'],
    ['1024Mi', '1Gi'],
    ['3072Mi', '3Gi'],
    ['1.5Gi', '1536Mi'],
    ['.5Gi', '512Mi'],
    ['512Ki', '512Ki'],
    ['1023Ki', '1023Ki'],
    ['2000000Ki', '2000000Ki'],
    ['0.5Ki', '512'],
    ['0.0001Ki', '102400u'],
    ['1e9', '1e9'],
    ['12e6', '12e6'],
    ['1E0', '1E0'],
    ['1e1', '10'],
    ['1e4', '10e3'],
    ['1E', '1E'],
    ['1000E', '1e21'],
    ['0005', '0005'],
    ['+1', '+1'],
    ['1.', '1.'],
    ['1 ', '1'],
    ['1.500', '1.500'],
    ['1.50', '1500m'],
    ['-1', '-1'],
    ['-0.5', '-500m'],
    ['0', '0'],
    ['0.0', '0'],
    ['000m', '0'],
    ['100u', '100u'],
    ['0.0015', '1500u'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['1e-400', '1e-9'],
    ['9223372036854775807', '9223372036854775807'],
    ['100Ei', '9223372036854775807'],
    ['-100Ei', '-9223372036854775807'],
    ['7Ei', '7Ei'],
  ];
  for (const [input, text] of spellings) {
    it(`${JSON.stringify(input)} is written ${text}`, () => assert.equal(canonicalQuantity(input), text));
  }

  for (const text of [
    '',
    'lots',
    '1Kb',
    '1.2.3',
    '1 000',
    'true',
    '[object Object]',
    '0x10',
    '1e',
    '5KM',
    '1e99999999999',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => parseQuantity(text), /quantit/));
  }

  it('refuses numbers with too many digits', () => {
    assert.throws(() => parseQuantity('1e1000000'), /numeric part/);
    assert.throws(() => parseQuantity('9'.repeat(100_000)), /numeric part/);
  });

  it('computes in the format of the first operand that is not zero', () => {
    const gibi = parseQuantity('1Gi');
    assert.equal(String(gibi.add(parseQuantity('512Mi'))), '1536Mi');
    assert.equal(String(gibi.subtract(parseQuantity('1Gi'))), '0');
    assert.equal(String(Quantity.of(0).add(gibi)), '1Gi');
    assert.equal(String(parseQuantity('1').subtract(parseQuantity('250m'))), '750m');
    assert.equal(String(Quantity.of(2048, 'BinarySI')), '2Ki');
    assert.equal(String(Quantity.ofMilli(1500)), '1500m');
    assert.equal(JSON.stringify({ q: parseQuantity('0.5').negate() }), '{"q":"-500m"}');
  });

  it('rounds away from zero', () => {
    assert.equal(parseQuantity('1500m').value(), 2n);
    assert.equal(parseQuantity('-1500m').value(), -2n);
    assert.equal(parseQuantity('100u').milliValue(), 1n);
    assert.equal(String(parseQuantity('100u').roundUpToMilli()), '1m');
    assert.equal(String(parseQuantity('0005').roundUpToMilli()), '0005');
  });

  const suffix = fc.constantFrom(
    '',
    'n',
    'u',
    'm',
    'k',
    'M',
    'G',
    'T',
    'P',
    'E',
    'Ki',
    'Mi',
    'Gi',
    'Ti',
    'e3',
    'E-3',
    'e1',
  );
  const number = fc.tuple(fc.constantFrom('', '-', '+'), fc.nat(), fc.option(fc.nat(9999), { nil: undefined }));
  const text = fc
    .tuple(number, suffix)
    .map(([[sign, whole, part], unit]) => `${sign}${whole}${part === undefined ? '' : `.${part}`}${unit}`);

  it('keeps the amount when written and read again, and the second spelling stays the same', () => {
    fc.assert(
      fc.property(text, (spelling) => {
        const canonical = canonicalQuantity(spelling);
        assert.equal(compareQuantities(spelling, canonical), 0);
        // A binary amount that no binary suffix writes (`1225388812.5Ki`) is read again as a decimal one.
        const settled = spelling.endsWith('i') ? canonicalQuantity(canonical) : canonical;
        assert.equal(canonicalQuantity(settled), settled);
      }),
      { numRuns: 1000 },
    );
  });

  it('has a total order', () => {
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        assert.equal(compareQuantities(a, b), -compareQuantities(b, a) + 0);
        if (compareQuantities(a, b) <= 0 && compareQuantities(b, c) <= 0) assert.ok(compareQuantities(a, c) <= 0);
      }),
    );
  });
});
