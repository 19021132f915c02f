import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { Caller } from '#client/caller.ts';
import { Client } from '#client/client.ts';
import { FewAtOnce } from './few-at-once.ts';

describe('FewAtOnce', () => {
  it('limits the calls of all clients together, keeps their order, and continues after failures', async () => {
    const log: string[] = [];
    const ends: (() => void)[] = [];
    const caller = {
      call: ({ path }: { path: string }) => {
        log.push(path);
        return new Promise((resolve, reject) => {
          ends.push(
            path === 'b' ? () => reject(new Error('b')) : () => resolve({ status: 200, headers: {}, text: '' }),
          );
        });
      },
    } as unknown as Caller;
    const few = new FewAtOnce(2);
    const clients = [0, 1].map(() => few.client(new Client(caller, createNaming('orch'))));
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const calls = ['a', 'b', 'c', 'd'].map((path, i) => clients[i % 2]!.call({ method: 'GET', path }).catch(() => {}));
    await turn();
    assert.deepEqual(log, ['a', 'b']);
    ends[1]!();
    await turn();
    assert.deepEqual(log, ['a', 'b', 'c']);
    ends[0]!();
    ends[2]!();
    await turn();
    ends[3]!();
    await Promise.all(calls);
    assert.deepEqual(log, ['a', 'b', 'c', 'd']);
  });
});
