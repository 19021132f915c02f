import assert from 'node:assert/strict';
import { batched } from './batched.ts';

describe('batched reads', () => {
  it('are shared by all callers that ask before they begin, and by no caller that asks later', async () => {
    const ends: ((value: string) => void)[] = [];
    const keys: string[] = [];
    const read = batched((key: string) => {
      keys.push(key);
      return new Promise<string>((resolve) => ends.push(resolve));
    });
    const first = [read('a'), read('a')];
    const other = read('b');
    await new Promise(setImmediate);
    assert.deepEqual(keys, ['a', 'b']);
    const second = [read('a'), read('a')];
    ends[0]!('1');
    assert.deepEqual(await Promise.all(first), ['1', '1']);
    await new Promise(setImmediate);
    assert.deepEqual(keys, ['a', 'b', 'a']);
    ends[1]!('x');
    ends[2]!('2');
    assert.equal(await other, 'x');
    assert.deepEqual(await Promise.all(second), ['2', '2']);
  });

  it('go on after one that failed', async () => {
    let fails = true;
    const read = batched(async () => {
      if (fails) throw new Error('no');
      return 'yes';
    });
    await assert.rejects(read('a'), /no/);
    fails = false;
    assert.equal(await read('a'), 'yes');
  });
});
