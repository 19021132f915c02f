import assert from 'node:assert/strict';
import { OwnWrites } from './own-writes.ts';

describe('OwnWrites.isLast', () => {
  const version = (uid: string, resourceVersion: string) => ({ metadata: { name: 'n', uid, resourceVersion } });
  const own = new OwnWrites();
  own.wrote(version('a', '1'));
  own.wrote(version('a', '2'));
  own.wrote(version('gone', '3'));
  own.forget(version('gone', '3'));
  const rows: readonly [string, ReturnType<typeof version>, boolean][] = [
    ['the last own version', version('a', '2'), true],
    ['an earlier own version', version('a', '1'), false],
    ['a version of another client', version('a', '4'), false],
    ['a version of another object', version('b', '2'), false],
    ['a version of a deleted object', version('gone', '3'), false],
  ];
  for (const [what, object, isLast] of rows) it(what, () => assert.equal(own.isLast(object), isLast));
});
