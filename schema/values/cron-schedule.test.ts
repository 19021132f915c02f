import assert from 'node:assert/strict';
import { hasTimeZone, scheduleProblem, timeZoneProblem } from './cron-schedule.ts';

const GOOD = [
  '* * * * *',
  '59 23 31 12 6',
  '*/15 0-5 1,15 * 1-5',
  '@hourly',
  '@midnight',
  '@annually',
  '@every 1h30m',
  '@every -1h',
  '0 0 * * SUN',
  '0 0 * JAN-MAR mon',
  '? ? ? ? ?',
  '0 0 * * 1-5/2',
  '5/10 * * * *',
  ' 0  0 * * * ',
  '1,,2 * * * *',
  '0 0 30 2 *',
  'TZ=UTC 0 0 * * *',
  'CRON_TZ=Europe/Rome @daily',
];

const BAD: [schedule: string, problem: string][] = [
  ['', 'empty spec string'],
  ['x', 'expected exactly 5 fields, found 1: [x]'],
  ['\n', 'expected exactly 5 fields, found 0: []'],
  ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['* * * * 7', 'end of range (7) above maximum (6): 7'],
  ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['*/5*/5 * * * *', 'too many slashes: */5*/5'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['a b c d e', 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
  ['-1 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  ['0 0 L * *', 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'],
  ['0 0 * * 5#3', 'failed to parse int from 5#3: strconv.Atoi: parsing "5#3": invalid syntax'],
  ['@Hourly', 'unrecognized descriptor: @Hourly'],
  ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
  ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
  ['*,'.repeat(6_000), 'spec string longer than 10000 characters'],
  ['TZ=Nowhere * * * * *', 'provided bad location Nowhere: unknown time zone Nowhere'],
];

describe('cron schedules', () => {
  for (const schedule of GOOD) it(`accepts ${schedule}`, () => assert.equal(scheduleProblem(schedule), undefined));
  for (const [schedule, problem] of BAD) {
    it(`${JSON.stringify(schedule.slice(0, 50))}: ${problem}`, () => assert.equal(scheduleProblem(schedule), problem));
  }

  it('accept only known time zones', () => {
    for (const zone of [
      'Europe/Rome',
      'UTC',
      'US/Pacific',
      'EST5EDT',
      'Etc/GMT+5',
      'America/Port-au-Prince',
      'NZ',
      'PRC',
    ]) {
      assert.equal(timeZoneProblem(zone), undefined, zone);
    }
    for (const zone of ['Nowhere', '+01:00', 'europe/rome', 'EUROPE/ROME', 'us/pacific', 'utc', 'PST', 'IST']) {
      assert.equal(timeZoneProblem(zone), `unknown time zone ${zone}`);
    }
    assert.equal(hasTimeZone('TZ=UTC * * * * *'), true);
    assert.equal(hasTimeZone('* * * * *'), false);
  });
});
