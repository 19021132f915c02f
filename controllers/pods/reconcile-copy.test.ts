import assert from 'node:assert/strict';
import { ApiError } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Expectations } from './expectations.ts';
import { reconcileCopy } from './reconcile-copy.ts';

describe('reconcileCopy', () => {
  const { signal } = new AbortController();

  function looking(look: () => Promise<{ afterMs: number } | undefined>) {
    const waited: string[] = [];
    const expectations = { seen: async (key: string) => void waited.push(key) } as unknown as Expectations;
    const copies = new Map<string, ApiObject>([['default/a', { metadata: { name: 'a' } }]]);
    return { waited, reconcile: reconcileCopy(expectations, copies, look) };
  }

  it('reconciles when the informer shows the own writes', async () => {
    const { waited, reconcile } = looking(async () => ({ afterMs: 7 }));
    assert.deepEqual(await reconcile('default/a', signal), { afterMs: 7 });
    assert.deepEqual(waited, ['default/a']);
  });

  it('does nothing if the object is gone', async () => {
    const { reconcile } = looking(() => assert.fail('there is nothing to look at'));
    assert.equal(await reconcile('default/gone', signal), undefined);
  });

  it('retries soon after a conflict and fails on any other error', async () => {
    const failing = (code: number) =>
      looking(() => Promise.reject(new ApiError(code, { reason: code === 409 ? 'Conflict' : 'InternalError' })))
        .reconcile;
    assert.deepEqual(await failing(409)('default/a', signal), { afterMs: 20 });
    await assert.rejects(async () => failing(500)('default/a', signal), { code: 500 });
  });
});
