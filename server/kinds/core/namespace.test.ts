import assert from 'node:assert/strict';
import { KindTester } from '../testing/kind-tester.ts';
import { namespace } from './namespace.ts';

const kind = new KindTester(namespace, 'core.v1', 'Namespace');

describe('a namespace', () => {
  for (const [status, problems] of [
    [undefined, 0],
    [{}, 0],
    [{ phase: '' }, 0],
    [{ phase: 'Active' }, 0],
    [{ phase: 'Terminating' }, 1],
  ] as const) {
    it(`has ${problems === 0 ? 'no error' : 'an error'} if it is not being deleted and its status is ${JSON.stringify(status)}`, () => {
      assert.equal(kind.updateErrors({}, status === undefined ? {} : { status }, 'status').length, problems);
    });
  }
});
