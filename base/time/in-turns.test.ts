import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { InTurns } from './in-turns.ts';

/** Blocks for this time, in milliseconds. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('InTurns', () => {
  it('runs queued work in a later turn, one piece of each owner after the other', async () => {
    const turns = new InTurns<string>();
    const begun: string[] = [];
    const add = (owner: string, ...names: string[]) => {
      for (const name of names) turns.add(owner, () => void begun.push(name));
    };
    add('a', 'a1', 'a2', 'a3');
    add('b', 'b1');
    add('c', 'c1', 'c2');
    assert.deepEqual(begun, []);
    // a slow machine needs several turns
    while (begun.length < 6) await turn();
    assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    add('a', 'a4');
    while (begun.length < 7) await turn();
    assert.equal(begun.at(-1), 'a4');
  });

  it('lets other tasks run between two pieces of work', async () => {
    const turns = new InTurns<string>();
    let begun = 0;
    for (let i = 0; i < 10; i++)
      turns.add('flood', () => {
        begun++;
        work(3);
      });
    const seen: number[] = [];
    while (begun < 10) {
      await turn();
      seen.push(begun);
    }
    assert.ok(seen.length >= 5, String(seen));
    // A late owner waits for one piece and not for all.
    for (let i = 0; i < 10; i++) turns.add('flood', () => work(3));
    await turn();
    let polite = 0;
    turns.add('polite', () => {
      polite = begun;
    });
    begun = 1;
    // a long piece, as on a busy machine, takes a whole turn
    await turn();
    await turn();
    assert.equal(polite, 1);
  });
});
