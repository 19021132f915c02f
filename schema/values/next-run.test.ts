import assert from 'node:assert/strict';
import { parseSchedule } from './cron-schedule.ts';
import { nextRun, zonedTime } from './next-run.ts';

/** The schedule, the start moment, the times after it, and the zone. */
type Row = readonly [schedule: string, after: string, next: readonly string[], zone?: string];

const ROWS: readonly Row[] = [
  ['* * * * *', '2026-01-01T00:00:00Z', ['2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z']],
  ['* * * * *', '2026-01-01T00:00:59.999Z', ['2026-01-01T00:01:00Z']],
  ['*/15 * * * *', '2026-01-01T23:44:00Z', ['2026-01-01T23:45:00Z', '2026-01-02T00:00:00Z']],
  ['30 6-16/4 * * 1-5', '2026-01-02T14:30:00Z', ['2026-01-05T06:30:00Z', '2026-01-05T10:30:00Z']],
  ['0 0 29 2 *', '2025-03-01T00:00:00Z', ['2028-02-29T00:00:00Z']],
  ['0 0 30 2 *', '2025-03-01T00:00:00Z', []],
  // If both day fields are given, a match of either is enough. If one is a star, the other decides.
  ['0 0 13 * 5', '2026-03-01T00:00:00Z', ['2026-03-06T00:00:00Z', '2026-03-13T00:00:00Z', '2026-03-20T00:00:00Z']],
  ['0 0 1 * *', '2026-03-01T00:00:00Z', ['2026-04-01T00:00:00Z']],
  ['0 0 */2 * 1', '2026-03-01T00:00:00Z', ['2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z']],
  ['@yearly', '2026-01-01T00:00:00Z', ['2027-01-01T00:00:00Z']],
  ['@weekly', '2026-01-01T00:00:00Z', ['2026-01-04T00:00:00Z']],
  ['@every 1h30m', '2026-01-01T00:00:00.400Z', ['2026-01-01T01:30:00Z', '2026-01-01T03:00:00Z']],
  ['@every 1ms', '2026-01-01T00:00:00Z', ['2026-01-01T00:00:01Z']],
  ['0 9 * * *', '2026-01-01T00:00:00Z', ['2026-01-01T14:00:00Z', '2026-01-02T14:00:00Z'], 'America/New_York'],
  ['TZ=Asia/Kolkata 0 9 * * *', '2026-01-01T00:00:00Z', ['2026-01-01T03:30:00Z'], 'America/New_York'],
  // On the day that summer time begins, half past two does not exist. When it ends, half past one occurs twice.
  ['30 2 * * *', '2026-03-07T12:00:00Z', ['2026-03-09T06:30:00Z'], 'America/New_York'],
  ['30 1 * * *', '2026-10-31T12:00:00Z', ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z'], 'America/New_York'],
  ['30 1 1 11 *', '2026-11-01T05:45:00Z', ['2026-11-01T06:30:00Z', '2027-11-01T05:30:00Z'], 'America/New_York'],
  ['0 * * * *', '2026-03-29T00:30:00Z', ['2026-03-29T01:00:00Z', '2026-03-29T02:00:00Z'], 'Europe/Rome'],
  // This zone once left out a day.
  ['0 12 * * *', '2011-12-29T23:00:00Z', ['2011-12-30T22:00:00Z'], 'Pacific/Apia'],
];

describe('nextRun', () => {
  for (const [schedule, after, next, zone = 'UTC'] of ROWS)
    it(`${schedule} in ${zone} after ${after}`, () => {
      const parsed = parseSchedule(schedule);
      let at: number | undefined = Date.parse(after);
      const found: (string | undefined)[] = [];
      for (const _ of next.length === 0 ? [0] : next) {
        at = nextRun(parsed, at, zone);
        if (at === undefined) break;
        found.push(new Date(at).toISOString().replace('.000', ''));
      }
      assert.deepEqual(found, next);
    });

  it('finds every minute whose local time matches the schedule', () => {
    const schedule = parseSchedule('7,37 0-4 * 3,4,10,11 0,6');
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']) {
      const format = new Intl.DateTimeFormat('en-GB', {
        timeZone: zone,
        weekday: 'short',
        month: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      });
      const begins = ['2026-03-27', '2026-03-07', '2026-04-03', '2026-10-23', '2026-10-31', '2026-10-02'];
      for (const begin of begins.map((day) => Date.parse(day))) {
        const end = begin + 3 * 86_400_000;
        const expected: number[] = [];
        for (let at = begin + 60_000; at < end; at += 60_000) {
          const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
          const fits =
            ['Sat', 'Sun'].includes(parts['weekday']!) &&
            ['3', '4', '10', '11'].includes(parts['month']!) &&
            Number(parts['hour']) <= 4 &&
            ['07', '37'].includes(parts['minute']!);
          if (fits) expected.push(at);
        }
        const found: number[] = [];
        for (let at = nextRun(schedule, begin, zone)!; at < end; at = nextRun(schedule, at, zone)!) found.push(at);
        assert.deepEqual(found, expected, `${zone} ${new Date(begin).toISOString()}`);
      }
    }
  });
});

describe('zonedTime', () => {
  it('shows the offset from UTC', () => {
    assert.equal(zonedTime(0), '1970-01-01T00:00:00Z');
    assert.equal(zonedTime(0, 'Europe/Rome'), '1970-01-01T01:00:00+01:00');
    assert.equal(zonedTime(Date.parse('2026-01-01T00:00:00Z'), 'America/St_Johns'), '2025-12-31T20:30:00-03:30');
  });
});
