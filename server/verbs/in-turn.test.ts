import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Steps } from '#base/time/steps.ts';
import { RequestStages } from '#program/tracing/request-stages.ts';
import type { RequestContext } from '../api/request-context.ts';
import { inTurn } from './in-turn.ts';

function request(user: string, bodyLength: number): RequestContext {
  return {
    user: { name: user, groups: [] },
    bodyLength,
    storedLength: 0,
    stages: new RequestStages(),
  } as unknown as RequestContext;
}

/** Blocks for this time, in milliseconds. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

function* parsing<T>(work: () => T): Steps<T> {
  const result = work();
  yield;
  return result;
}

describe('inTurn', () => {
  it('parses a small body at once', () => {
    assert.equal(
      inTurn(
        request('a', 5_000),
        parsing(() => 1),
      ),
      1,
    );
  });

  for (const bytes of [10_000, 100_000]) {
    describe(`with a body of ${bytes} bytes`, () => {
      it('waits for its turn before it parses, and alternates between users', async () => {
        const parsed: string[] = [];
        const users: string[] = [...Array.from({ length: 20 }, () => 'flood'), 'polite'];
        const parse = (user: string) => {
          work(5);
          return parsed.push(user);
        };
        const all = users.map((user) =>
          inTurn(
            request(user, bytes),
            parsing(() => parse(user)),
          ),
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

      it('rejects with the error that the parser throws', async () => {
        const refused = new Error('no');
        const broken = parsing(() => {
          throw refused;
        });
        await assert.rejects(async () => inTurn(request('a', bytes), broken), refused);
      });
    });
  }

  it('gives other work a turn between the steps of a large body', async () => {
    const order: string[] = [];
    function* steps(): Steps<void> {
      for (let step = 1; step <= 2; step++) {
        work(20);
        order.push(`step ${step}`);
        yield;
      }
    }
    const parsed = inTurn(request('a', 100_000), steps());
    while (order.length < 1) await turn();
    order.push('others');
    await parsed;
    assert.deepEqual(order, ['step 1', 'others', 'step 2']);
  });
});
