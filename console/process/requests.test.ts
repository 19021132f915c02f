import assert from 'node:assert/strict';
import { RequestError } from './problem.ts';
import { changeRequest, deleteRequest, type Fields, saveRequest } from './requests.ts';

const where = { kind: 'pods.v1.', namespace: 'a', name: 'b' };

const wrong: readonly [what: string, read: (fields: Fields) => unknown, fields: Fields, says: RegExp][] = [
  ['a name that is not a text', changeRequest, { ...where, name: 1 }, /name must be a text/],
  ['no change', changeRequest, where, /there is no such change/],
  ['an unknown change', changeRequest, { ...where, change: { name: 'constructor' } }, /there is no such change: con/],
  ['a list as a change', changeRequest, { ...where, change: [] }, /change must be an object/],
  ['negative replicas', changeRequest, { ...where, change: { name: 'scale', replicas: -1 } }, /whole number/],
  ['fractional replicas', changeRequest, { ...where, change: { name: 'scale', replicas: 1.5 } }, /whole number/],
  [
    'a label that is not a text',
    changeRequest,
    { ...where, change: { name: 'label', labels: { a: 1 } } },
    /label a must/,
  ],
  [
    'an unknown way to resolve a conflict',
    saveRequest,
    { ...where, ways: { '.a': 'all' } },
    /there is no such way: all/,
  ],
  ['a manifest that is not a text', saveRequest, { ...where, yaml: {} }, /yaml must be a text/],
  ['a uid that is not a text', deleteRequest, { ...where, uid: 1 }, /uid must be a text/],
];

describe('requests of the page', () => {
  for (const [what, read, fields, says] of wrong)
    it(`are refused with ${what}`, () =>
      assert.throws(
        () => read(fields),
        (error) => error instanceof RequestError && says.test(error.message),
      ));

  it('are read with all their fields', () => {
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
