import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { RequestStages } from '#program/tracing/request-stages.ts';
import type { RequestContext } from '../api/request-context.ts';
import { inTurn } from './in-turn.ts';

function request(user: string, bodyLength: number): RequestContext {
  return { user: { name: user, groups: [] }, bodyLength, stages: new RequestStages() } as unknown as RequestContext;
}

/** Takes so long, in milliseconds. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('the turn of a body', () => {
  it('is at once for a small one', () => {
    assert.equal(
      inTurn(request('a', 5_000), () => 1),
      1,
    );
  });

  it('comes before it is parsed, and to one user after the other', async () => {
    const parsed: string[] = [];
    const users: string[] = [...Array.from({ length: 20 }, () => 'flood'), 'polite'];
    const all = users.map((user) =>
      inTurn(request(user, 10_000), () => {
        work(5);
        return parsed.push(user);
      }),
    );
    assert.equal(parsed.length, 0, 'nothing is parsed where the body was read');
    const seen: number[] = [];
    while (parsed.length < all.length) {
      await turn();
      seen.push(parsed.length);
    }
    assert.ok(parsed.indexOf('polite') <= 1, String(parsed));
    assert.ok(seen.length > 10, `others had a turn ${seen.length} times`);
    await Promise.all(all);
  });

  it('rejects with what parsing throws', async () => {
    const refused = new Error('no');
    await assert.rejects(
      async () =>
        inTurn(request('a', 10_000), () => {
          throw refused;
        }),
      refused,
    );
  });
});
