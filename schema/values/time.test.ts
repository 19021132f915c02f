import assert from 'node:assert/strict';
import { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, timeToMilliseconds } from './time.ts';

describe('time', () => {
  const times: [input: string, text: string | null][] = [
    ['2020-01-02T03:04:05Z', '2020-01-02T03:04:05Z'],
    ['2020-01-02T03:04:05.999Z', '2020-01-02T03:04:05Z'],
    ['2020-01-02T03:04:05+02:00', '2020-01-02T01:04:05Z'],
    ['2020-02-29T23:59:59-00:30', '2020-03-01T00:29:59Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00Z'],
    ['0001-01-01T00:00:00Z', null],
  ];
  for (const [input, text] of times) it(`${input} is ${text}`, () => assert.equal(canonicalTime(input), text));

  const microTimes: [input: string, text: string | null][] = [
    ['2020-01-02T03:04:05.123456Z', '2020-01-02T03:04:05.123456Z'],
    ['2020-01-02T03:04:05.000001+01:00', '2020-01-02T02:04:05.000001Z'],
    ['0001-01-01T00:00:00.000000Z', null],
  ];
  for (const [input, text] of microTimes)
    it(`micro ${input} is ${text}`, () => assert.equal(canonicalMicroTime(input), text));

  const seconds = 'as "2006-01-02T15:04:05Z07:00": cannot parse';
  const micros = 'as "2006-01-02T15:04:05.000000Z07:00": cannot parse';
  const refused: [parse: (text: string) => unknown, text: string, why: string][] = [
    [canonicalTime, '', `parsing time "" ${seconds} "" as "2006"`],
    [canonicalTime, 'now', `parsing time "now" ${seconds} "now" as "2006"`],
    [canonicalTime, '2020-01-02', `parsing time "2020-01-02" ${seconds} "" as "T"`],
    [canonicalTime, '2020-02-30T00:00:00Z', 'parsing time "2020-02-30T00:00:00Z": day out of range'],
    [canonicalTime, '2020-13-01T00:00:00Z', 'parsing time "2020-13-01T00:00:00Z": month out of range'],
    [canonicalTime, '2020-01-01T00:00:00Zx', 'parsing time "2020-01-01T00:00:00Zx": extra text: "x"'],
    [canonicalMicroTime, '2020-01-02T03:04:05Z', `parsing time "2020-01-02T03:04:05Z" ${micros} "Z" as ".000000"`],
    [
      canonicalMicroTime,
      '2020-01-02T03:04:05.1Z',
      `parsing time "2020-01-02T03:04:05.1Z" ${micros} ".1Z" as ".000000"`,
    ],
    [
      canonicalMicroTime,
      '2020-01-02T05:04:05.123456789Z',
      `parsing time "2020-01-02T05:04:05.123456789Z" ${micros} "789Z" as "Z07:00"`,
    ],
  ];
  for (const [parse, text, why] of refused) {
    it(`refuses ${JSON.stringify(text)} (${parse.name})`, () => assert.throws(() => parse(text), { message: why }));
  }

  it('converts to and from milliseconds', () => {
    assert.equal(formatTime(1577934245999), '2020-01-02T03:04:05Z');
    assert.equal(formatMicroTime(1577934245123.4), '2020-01-02T03:04:05.123400Z');
    assert.equal(timeToMilliseconds('2020-01-02T03:04:05Z'), 1577934245000);
    assert.equal(timeToMilliseconds('2020-01-02T03:04:05.123400Z'), 1577934245123.4);
  });
});
