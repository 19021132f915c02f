import assert from 'node:assert/strict';
import { JsonNumber } from '#base/json/json-value.ts';
import { countOf, percentOf } from './int-or-string.ts';
import { canonicalBase64, toDouble, toInt32, toInt64 } from './scalar.ts';

describe('scalars', () => {
  it('int32 accepts whole numbers in range', () => {
    assert.equal(toInt32(2147483647), 2147483647);
    assert.ok(Object.is(toInt32(-0), 0));
    assert.equal(toInt32(new JsonNumber('-0')), 0);
    for (const value of [2147483648, 1.5, '1', true, new JsonNumber('1e2'), new JsonNumber('3.0')]) {
      assert.equal(toInt32(value), undefined);
    }
  });

  it('int64 keeps large numbers exactly', () => {
    assert.equal(toInt64(5), 5);
    assert.equal(toInt64(2 ** 53), 2 ** 53);
    assert.equal(toInt64(1.5), undefined);
    assert.equal(toInt64(2 ** 63), undefined);
    assert.deepEqual(toInt64(new JsonNumber('9223372036854775807')), new JsonNumber('9223372036854775807'));
    assert.equal(toInt64(new JsonNumber('9007199254740991')), 9007199254740991);
    for (const text of ['9223372036854775808', '1e2', '3.0']) assert.equal(toInt64(new JsonNumber(text)), undefined);
  });

  it('double accepts any spelling of a number in range', () => {
    assert.equal(toDouble(new JsonNumber('1e2')), 100);
    assert.equal(toDouble(new JsonNumber('1e400')), undefined);
  });

  const texts: [input: string, canonical: string][] = [
    ['', ''],
    ['aGk=', 'aGk='],
    ['aG\nk=\r\n', 'aGk='],
    ['aGl=', 'aGk='],
    ['/+Aa', '/+Aa'],
  ];
  for (const [input, canonical] of texts) {
    it(`base64 ${JSON.stringify(input)} is ${canonical}`, () => assert.equal(canonicalBase64(input), canonical));
  }
  const refused: [input: string, at: number][] = [
    ['!!', 0],
    ['a!!!', 1],
    ['a\n-b=', 2],
    ['aGk', 0],
    ['aGkaG', 4],
    ['aG=', 3],
    ['aGk==', 4],
    ['a=', 1],
    ['Y Q = =', 1],
    ['aG=k', 2],
    ['====', 0],
  ];
  for (const [input, at] of refused) {
    it(`base64 ${JSON.stringify(input)} is refused at ${at}`, () => {
      assert.throws(() => canonicalBase64(input), { message: `illegal base64 data at input byte ${at}` });
    });
  }

  it('countOf and percentOf read counts and percentages', () => {
    assert.equal(countOf(3, 10, 'up'), 3);
    assert.equal(countOf('25%', 10, 'up'), 3);
    assert.equal(countOf('25%', 10, 'down'), 2);
    assert.equal(percentOf('http'), undefined);
    assert.throws(() => countOf('http', 10, 'up'));
  });
});
