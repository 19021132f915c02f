import assert from 'node:assert/strict';
import { estimateWork } from './estimate-work.ts';

describe('estimateWork', () => {
  for (const [what, info, query, population, expected] of [
    ['one object', { verb: 'get' }, '', { objects: 5000 }, [1, 0]],
    ['a short list', { verb: 'list' }, '', { objects: 100 }, [1, 0]],
    ['a list', { verb: 'list' }, '', { objects: 450 }, [5, 0]],
    ['a long list', { verb: 'list' }, '', { objects: 1e6 }, [10, 0]],
    ['a page', { verb: 'list' }, 'limit=250', { objects: 1e6 }, [3, 0]],
    ['a page with an unreadable limit', { verb: 'list' }, 'limit=x', { objects: 1e6 }, [10, 0]],
    ['a list of a resource with unknown size', { verb: 'list' }, '', undefined, [1, 0]],
    ['a write without watchers', { verb: 'create' }, '', { watchers: 0 }, [1, 0]],
    ['a write with some watchers', { verb: 'patch', subresource: 'status' }, '', { watchers: 60 }, [1, 6]],
    ['a write with many watchers', { verb: 'update' }, '', { watchers: 5000 }, [1, 10]],
    [
      'a write to a subresource that does not update the object',
      { verb: 'create', subresource: 'binding' },
      '',
      { watchers: 5000 },
      [1, 0],
    ],
    ['a path that is not a resource', { verb: 'list', isResource: false }, '', { objects: 5000 }, [1, 0]],
  ] as const)
    it(`returns the seats of ${what}`, () => {
      const of = { isResource: true, subresource: '', ...info };
      const known = population && { objects: 0, watchers: 0, ...population };
      const { seats, finalSeats } = estimateWork(of, new URLSearchParams(query), () => known);
      assert.deepEqual([seats, finalSeats], expected);
    });
});
