import assert from 'node:assert/strict';
import { checkedFormat, hasFormat } from './formats.ts';

const samples: [format: string, good: string[], bad: string[]][] = [
  [
    'date-time',
    ['2020-01-02T03:04:05Z', '2020-01-02t03:04:05.123+02:00', '2020-01-02T03:04:05,5+99:99', '2020-01-02T03:04:05ZTx'],
    ['2020-01-02', '2020-13-02T03:04:05Z', '', '2020-01-02T03:04:05', '2020-01-02T24:04:05Z', '2020-01-02T03:04Z'],
  ],
  ['date', ['2020-02-29'], ['2021-02-29', '20-1-1']],
  [
    'duration',
    ['1h30m', '0', '22 ns', '3 days', '3 DAYS', 'x 3 weekly', '1d 2 h', '3 hourly'],
    ['', '1', '1 parsec', '3 foos', '9223372036854775808ns'],
  ],
  [
    'email',
    ['a@b.c', 'Jane <jane@example.com>', '"a b"@c', ' a@b.c ', 'a@ b', 'a@b (c)', '"a" b <c@d>'],
    ['a', '@b', 'a b@c', '""@b', 'A, B <a@b>', 'a@b<c@d>', 'a@b.', '.a@b'],
  ],
  [
    'hostname',
    ['host.example.com', 'a', 'a-b', '1', '1a.bc', 'é.com', 'a--b.com', 'YQ==', 'a$b.com'],
    ['-a', 'a_b', `${'a'.repeat(64)}.bc`, 'ab-c', 'xn--a', '1.2.3.4', 'a.c', 'a.c1', 'a.com.', 'a-.com'],
  ],
  ['ipv4', ['1.2.3.4', '01.2.3.004', '::ffff:1.2.3.4'], ['::1', '1.2.3', '1.2.3.256']],
  ['ipv6', ['::1', '2001:db8::1'], ['1.2.3.4', 'fe80::1%eth0']],
  ['cidr', ['10.0.0.0/8', '2001:db8::/32', '01.2.3.4/08'], ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/8/9']],
  ['mac', ['00:11:22:33:44:55', '0011.2233.4455'], ['00:11', '00-11:22-33-44-55']],
  ['uuid', ['6ba7b810-9dad-11d1-80b4-00c04fd430c8'], ['6ba7b810']],
  ['uri', ['http://a/b', '/path', 'urn:x', '*'], ['a b', '', 'no-scheme']],
  ['byte', ['aGk='], ['', 'a', 'a$==']],
  ['isbn', ['0-306-40615-2', '978-3-16-148410-0'], ['0-306-40615-3']],
  [
    'creditcard',
    ['4111 1111 1111 1111', '378282246310005', '30569309025904'],
    ['4111 1111 1111 1112', '0000000000000000', '2223003122003222', '6200000000000005'],
  ],
  ['hexcolor', ['#fff', 'a0b1c2'], ['#ff']],
  ['rgbcolor', ['rgb(0, 255,10)'], ['rgb(0,256,0)']],
  ['ssn', ['111-22-3333', '111 22-3333'], ['111-2-3333', '111223333']],
  ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['507f']],
  ['password', ['anything'], []],
];

describe('hasFormat', () => {
  for (const [format, good, bad] of samples) {
    it(`recognizes a ${format}`, () => {
      assert.equal(checkedFormat(format), format);
      for (const text of good) assert.ok(hasFormat(format, text), text);
      for (const text of bad) assert.ok(!hasFormat(format, text), text);
    });
  }

  it('accepts any string for an unknown format', () => {
    assert.deepEqual([checkedFormat('nosuch'), checkedFormat('int32')], ['', '']);
    assert.ok(hasFormat('nosuch', 'x'));
  });

  it('needs bounded time for long strings', () => {
    const long = `${'a'.repeat(200_000)}!`;
    for (const [format] of samples) hasFormat(format, long);
  }).timeout(20_000);
});
