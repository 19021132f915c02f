import assert from 'node:assert/strict';
import { toText } from './log.ts';

describe('toText', () => {
  const line = (fields: object) =>
    JSON.stringify({ level: 'info', time: 0, pid: 1, hostname: 'h', name: 'p', ...fields });
  for (const [fields, text] of [
    [{ msg: 'hello' }, '1970-01-01T00:00:00.000Z info hello\n'],
    [{ controller: 'ttl', key: 'a/b', n: 3, msg: 'did it' }, '1970-01-01T00:00:00.000Z info ttl: did it key=a/b n=3\n'],
    [{ why: 'two words', o: { a: 1 }, msg: 'm' }, '1970-01-01T00:00:00.000Z info m why="two words" o={"a":1}\n'],
    [
      { level: 'warn', err: { message: 'no', stack: 'at x' }, msg: 'm' },
      '1970-01-01T00:00:00.000Z warn m error="no"\n',
    ],
    [
      { level: 'error', err: { message: 'no', stack: 'at x' }, msg: 'm' },
      '1970-01-01T00:00:00.000Z error m error="no"\nat x\n',
    ],
  ] as const)
    it(text.slice(25).trim(), () => assert.equal(toText(line(fields)), text));
});
