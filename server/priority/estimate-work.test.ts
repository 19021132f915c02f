import assert from 'node:assert/strict';
import { estimateWork } from './estimate-work.ts';

describe('the work of a request', () => {
  for (const [what, info, query, population, expected] of [
    ['one object', { verb: 'get' }, '', { objects: 5000 }, [1, 0]],
    ['a short list', { verb: 'list' }, '', { objects: 100 }, [1, 0]],
    ['a list', { verb: 'list' }, '', { objects: 450 }, [5, 0]],
    ['a long list', { verb: 'list' }, '', { objects: 1e6 }, [10, 0]],
    ['a page', { verb: 'list' }, 'limit=250', { objects: 1e6 }, [3, 0]],
    ['a page with an unreadable limit', { verb: 'list' }, 'limit=x', { objects: 1e6 }, [10, 0]],
    ['a list of nothing that is known', { verb: 'list' }, '', undefined, [1, 0]],
    ['a write without watchers', { verb: 'create' }, '', { watchers: 0 }, [1, 0]],
    ['a write that some watch', { verb: 'patch', subresource: 'status' }, '', { watchers: 60 }, [1, 6]],
    ['a write that many watch', { verb: 'update' }, '', { watchers: 5000 }, [1, 10]],
    ['a write to something else', { verb: 'create', subresource: 'binding' }, '', { watchers: 5000 }, [1, 0]],
    ['a path', { verb: 'list', isResource: false }, '', { objects: 5000 }, [1, 0]],
  ] as const)
    it(`of ${what}`, () => {
      const of = { isResource: true, subresource: '', ...info };
      const known = population && { objects: 0, watchers: 0, ...population };
      const { seats, finalSeats } = estimateWork(of, new URLSearchParams(query), () => known);
      assert.deepEqual([seats, finalSeats], expected);
    });
});
