import assert from 'node:assert/strict';
import { OwnWrites } from './own-writes.ts';

describe('versions that a controller wrote', () => {
  const version = (uid: string, resourceVersion: string) => ({ metadata: { name: 'n', uid, resourceVersion } });
  const own = new OwnWrites();
  own.wrote(version('a', '1'));
  own.wrote(version('a', '2'));
  own.wrote(version('gone', '3'));
  own.forget(version('gone', '3'));
  const rows: readonly [string, ReturnType<typeof version>, boolean][] = [
    ['the last one', version('a', '2'), true],
    ['the one before', version('a', '1'), false],
    ['one that another client wrote', version('a', '4'), false],
    ['another object', version('b', '2'), false],
    ['an object that has gone', version('gone', '3'), false],
  ];
  for (const [what, object, isLast] of rows) it(what, () => assert.equal(own.isLast(object), isLast));
});
