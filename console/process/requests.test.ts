import assert from 'node:assert/strict';
import { RequestError } from './problem.ts';
import { changeRequest, deleteRequest, type Fields, saveRequest } from './requests.ts';

const where = { kind: 'pods.v1.', namespace: 'a', name: 'b' };

const wrong: readonly [what: string, read: (fields: Fields) => unknown, fields: Fields, says: RegExp][] = [
  ['a name that is no text', changeRequest, { ...where, name: 1 }, /name must be a text/],
  ['no change', changeRequest, where, /there is no such change/],
  ['an unknown change', changeRequest, { ...where, change: { name: 'constructor' } }, /there is no such change: con/],
  ['a list as a change', changeRequest, { ...where, change: [] }, /change must be an object/],
  ['replicas below 0', changeRequest, { ...where, change: { name: 'scale', replicas: -1 } }, /whole number/],
  ['half a replica', changeRequest, { ...where, change: { name: 'scale', replicas: 1.5 } }, /whole number/],
  ['a label that is no text', changeRequest, { ...where, change: { name: 'label', labels: { a: 1 } } }, /label a must/],
  ['an unknown way', saveRequest, { ...where, ways: { '.a': 'all' } }, /there is no such way: all/],
  ['a text that is none', saveRequest, { ...where, yaml: {} }, /yaml must be a text/],
  ['an identity that is no text', deleteRequest, { ...where, uid: 1 }, /uid must be a text/],
];

describe('what a page sends', () => {
  for (const [what, read, fields, says] of wrong)
    it(`is refused with ${what}`, () =>
      assert.throws(
        () => read(fields),
        (error) => error instanceof RequestError && says.test(error.message),
      ));

  it('is read field by field', () => {
    assert.deepEqual(
      changeRequest({ ...where, change: { name: 'label', labels: { a: null, b: 'c' } }, dryRun: true }),
      {
        ...where,
        change: { name: 'label', labels: { a: null, b: 'c' } },
        dryRun: true,
      },
    );
    assert.deepEqual(saveRequest({ ...where, yaml: 'a', base: 'b', ways: { '.a': 'mine' }, more: 1 }), {
      ...where,
      yaml: 'a',
      base: 'b',
      dryRun: false,
      ways: { '.a': 'mine' },
    });
    assert.deepEqual(deleteRequest(where), { ...where, uid: '', dryRun: false, orphans: false });
  });
});
