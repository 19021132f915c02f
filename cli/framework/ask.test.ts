import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { ask } from './ask.ts';
import type { Io } from './io.ts';

describe('ask', () => {
  const rows: readonly (readonly [input: readonly string[], first: string, second: string])[] = [
    [['yes\nno\n'], 'yes', 'no'],
    [['ye', 's\r\nn', 'o'], 'yes', 'no'],
    [['\n', ' two \n'], '', 'two'],
    [[], '', ''],
    [['x'.repeat(5000)], 'x'.repeat(5000), ''],
  ];
  for (const [input, first, second] of rows)
    it(`${JSON.stringify(input).slice(0, 40)} answers two questions`, async () => {
      const io = { streams: { input: Readable.from(input) }, signal: new AbortController().signal } as unknown as Io;
      let asked = '';
      const out = { write: (text: string) => void (asked += text), columns: undefined };
      assert.deepEqual([await ask(io, out, 'a? '), await ask(io, out, 'b? ')], [first, second]);
      assert.equal(asked, 'a? b? ');
    });

  it('is cancelled by Ctrl-C', async () => {
    const interrupted = new AbortController();
    let keepsProcess = false;
    const input = Object.assign(new PassThrough(), {
      ref: () => (keepsProcess = true),
      unref: () => (keepsProcess = false),
    });
    const io = { streams: { input }, signal: interrupted.signal } as unknown as Io;
    const answer = ask(io, { write: () => interrupted.abort(), columns: undefined }, 'a? ');
    await assert.rejects(answer, { name: 'AbortError' });
    assert.equal(keepsProcess, false);
  });
});
