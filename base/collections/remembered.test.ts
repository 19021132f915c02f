import assert from 'node:assert/strict';
import { remembered } from './remembered.ts';

describe('remembered', () => {
  let made: string[];
  const twice = () =>
    remembered(
      (text) => {
        made.push(text);
        return text + text;
      },
      { most: 2, longest: 3 },
    );

  beforeEach(() => {
    made = [];
  });

  const rows: readonly [name: string, asked: string[], made: string[]][] = [
    ['computes each value once', ['a', 'b', 'a', 'b'], ['a', 'b']],
    ['computes the value of a long text each time', ['long', 'long'], ['long', 'long']],
    ['forgets all values when it is full', ['a', 'b', 'c', 'a', 'c'], ['a', 'b', 'c', 'a']],
    ['does not count long texts towards its size', ['a', 'b', 'long', 'a', 'b'], ['a', 'b', 'long']],
  ];
  for (const [name, asked, expected] of rows)
    it(name, () => {
      const ask = twice();
      for (const text of asked) assert.equal(ask(text), text + text);
      assert.deepEqual(made, expected);
    });

  it('does not cache an exception', () => {
    let calls = 0;
    const fails = remembered<string>(
      () => {
        calls++;
        throw new Error('no');
      },
      { most: 2, longest: 3 },
    );
    for (let n = 0; n < 2; n++) assert.throws(() => fails('a'), { message: 'no' });
    assert.equal(calls, 2);
  });
});
