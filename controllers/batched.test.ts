import assert from 'node:assert/strict';
import { batched } from './batched.ts';

describe('batched', () => {
  it('shares one read among the callers that ask before it begins, but not with later callers', async () => {
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

  it('reads again after a failure', async () => {
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
