import assert from 'node:assert/strict';
import { fairTurn } from './fair-turn.ts';

describe('fairTurn', () => {
  it('lets others run between those who wait, in their order', async () => {
    const order: string[] = [];
    const large = async (name: string) => {
      for (let piece = 1; piece <= 2; piece++) {
        await fairTurn();
        order.push(`${name}${piece}`);
      }
    };
    const done = Promise.all([large('a'), large('b')]);
    for (let turn = 0; turn < 3; turn++) {
      await new Promise(setImmediate);
      order.push('-');
    }
    await done;
    assert.equal(order.join(' '), 'a1 - b1 - a2 - b2');
  });
});
