import assert from 'node:assert/strict';
import fc from 'fast-check';
import { StatusError } from '#base/errors/status-error.ts';
import { JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { applyJsonPatch, MAX_OPERATIONS, unknownOperationMembers } from './json-patch.ts';

/** The case, the object, the operations, and the result: an object or a status code. */
type Row = [what: string, live: JsonObject, patch: JsonValue, after: JsonObject | number];

const LIST = { l: ['a', 'b', 'c', 'd'] };

const ROWS: Row[] = [
  ['no operations', { a: 1 }, [], { a: 1 }],
  ['null means no operations', { a: 1 }, null, { a: 1 }],
  ['add to a map', { d: {} }, [{ op: 'add', path: '/d/x', value: 1 }], { d: { x: 1 } }],
  ['add replaces an existing member', { d: { x: 1 } }, [{ op: 'add', path: '/d/x', value: 2 }], { d: { x: 2 } }],
  ['add under a missing map', {}, [{ op: 'add', path: '/d/x', value: 1 }], 422],
  ['add without a value adds null', { d: {} }, [{ op: 'add', path: '/d/x' }], { d: { x: null } }],
  ['add without a path', {}, [{ op: 'add', value: 1 }], 422],
  ['a path to the whole object', {}, [{ op: 'add', path: '', value: {} }], 422],
  ['text before the first slash is ignored', {}, [{ op: 'add', path: 'data/x', value: 1 }], { x: 1 }],
  ['an empty member name', { d: {} }, [{ op: 'add', path: '/d/', value: 1 }], { d: { '': 1 } }],
  ['escapes', { d: {} }, [{ op: 'add', path: '/d/a~1b~0c~01', value: 1 }], { d: { 'a/b~c~1': 1 } }],
  ['add below a text', { d: 'x' }, [{ op: 'add', path: '/d/x', value: 1 }], 422],
  ['remove', { d: { x: 1, y: 2 } }, [{ op: 'remove', path: '/d/x' }], { d: { y: 2 } }],
  ['remove a missing member', { d: {} }, [{ op: 'remove', path: '/d/x' }], 422],
  ['remove an inherited member', { d: {} }, [{ op: 'remove', path: '/d/constructor' }], 422],
  ['replace', { x: 1 }, [{ op: 'replace', path: '/x', value: { y: 1 } }], { x: { y: 1 } }],
  ['replace a missing member', { d: {} }, [{ op: 'replace', path: '/d/x', value: 1 }], { d: { x: 1 } }],
  ['copy', { d: { x: '1' } }, [{ op: 'copy', from: '/d/x', path: '/d/y' }], { d: { x: '1', y: '1' } }],
  ['copy a missing member', { d: {} }, [{ op: 'copy', from: '/d/x', path: '/d/y' }], { d: { y: null } }],
  ['move', { d: { x: '1' } }, [{ op: 'move', from: '/d/x', path: '/d/y' }], { d: { y: '1' } }],
  ['move onto itself', { d: { x: '1' } }, [{ op: 'move', from: '/d/x', path: '/d/x' }], { d: { x: '1' } }],
  ['move a missing member', { d: {} }, [{ op: 'move', from: '/d/x', path: '/d/y' }], 422],
  ['move into itself', { d: { x: 1 } }, [{ op: 'move', from: '/d', path: '/d/x' }], 422],
  ['move without from', { d: { x: 1 } }, [{ op: 'move', path: '/d/x' }], 422],
  ['test', { x: [1, { a: null }] }, [{ op: 'test', path: '/x', value: [1, { a: null }] }], { x: [1, { a: null }] }],
  ['test of another value fails', { x: 1 }, [{ op: 'test', path: '/x', value: 2 }], 422],
  ['test a missing member', { x: 1 }, [{ op: 'test', path: '/y', value: 2 }], 422],
  ['test treats a missing member as null', { x: 1 }, [{ op: 'test', path: '/y', value: null }], { x: 1 }],
  ['list: insert', LIST, [{ op: 'add', path: '/l/0', value: 'x' }], { l: ['x', 'a', 'b', 'c', 'd'] }],
  ['list: append', LIST, [{ op: 'add', path: '/l/-', value: 'x' }], { l: ['a', 'b', 'c', 'd', 'x'] }],
  ['list: append by length', LIST, [{ op: 'add', path: '/l/4', value: 'x' }], { l: ['a', 'b', 'c', 'd', 'x'] }],
  ['list: add after the end', LIST, [{ op: 'add', path: '/l/5', value: 'x' }], 422],
  ['list: -1 appends', LIST, [{ op: 'add', path: '/l/-1', value: 'x' }], { l: ['a', 'b', 'c', 'd', 'x'] }],
  ['list: before the first item', LIST, [{ op: 'add', path: '/l/-9', value: 'x' }], 422],
  ['list: an index that is not a number', LIST, [{ op: 'add', path: '/l/foo', value: 'x' }], 422],
  ['list: remove the last item by -1', LIST, [{ op: 'remove', path: '/l/-1' }], { l: ['a', 'b', 'c'] }],
  ['list: remove -', LIST, [{ op: 'remove', path: '/l/-' }], 422],
  ['list: remove after the end', LIST, [{ op: 'remove', path: '/l/4' }], 422],
  [
    'list: an index with a leading zero',
    LIST,
    [{ op: 'replace', path: '/l/01', value: 'B' }],
    { l: ['a', 'B', 'c', 'd'] },
  ],
  ['list: replace after the end', LIST, [{ op: 'replace', path: '/l/4', value: 'x' }], 422],
  ['list: move', LIST, [{ op: 'move', from: '/l/2', path: '/l/0' }], { l: ['c', 'a', 'b', 'd'] }],
  ['list: copy to the end', LIST, [{ op: 'copy', from: '/l/0', path: '/l/-' }], { l: ['a', 'b', 'c', 'd', 'a'] }],
  ['list: below -', { l: [{}] }, [{ op: 'add', path: '/l/-/x', value: 1 }], 422],
  ['replace the whole document', { x: 1 }, [{ op: 'replace', path: '', value: { y: { z: 1 } } }], { y: { z: 1 } }],
  ['replace the whole document by a list is refused', { x: 1 }, [{ op: 'replace', path: '', value: [] }], 422],
  [
    'replace the whole document by a text changes nothing',
    { x: 1 },
    [{ op: 'replace', path: '', value: 'y' }],
    { x: 1 },
  ],
  ['replace the whole document without a value changes nothing', { x: 1 }, [{ op: 'replace', path: '' }], { x: 1 }],
  ['test the whole document', { x: 1 }, [{ op: 'test', path: '', value: { x: 1 } }], { x: 1 }],
  ['test of the whole document fails', { x: 1 }, [{ op: 'test', path: '', value: {} }], 422],
  ['a patch that is an object', {}, { op: 'add' }, 400],
  ['a patch that is a text', {}, 'x', 400],
  ['an operation that is a number', {}, [1], 400],
  ['an operation that is null', {}, [null], 422],
  ['an op that is a number', {}, [{ op: 1, path: '/x' }], 400],
  ['a path that is a number', {}, [{ op: 'add', path: 7 }], 400],
  ['an unknown op', {}, [{ op: 'frobnicate', path: '/x' }], 422],
  ['an op in upper case', {}, [{ op: 'ADD', path: '/x' }], 422],
  ['an operation without op', {}, [{ path: '/x' }], 422],
  ['additional members are ignored', {}, [{ op: 'add', path: '/x', value: 1, from: '/y', comment: '' }], { x: 1 }],
  ['too many operations', {}, Array(MAX_OPERATIONS + 1).fill({ op: 'test', path: '/x', value: null }), 413],
];

describe('JSON patch', () => {
  for (const [what, live, patch, after] of ROWS) {
    it(what, () => {
      const before = structuredClone(live);
      if (typeof after === 'number') {
        assert.throws(() => applyJsonPatch(live, patch), { code: after });
      } else {
        assert.deepEqual(applyJsonPatch(live, patch), after);
      }
      assert.deepEqual(live, before);
    });
  }

  it('explains malformed patch documents in the words that clients expect', () => {
    assert.throws(() => applyJsonPatch({}, {}), {
      message: 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    });
    assert.throws(() => applyJsonPatch({}, [{ op: 1 }]), {
      message: 'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    });
    assert.throws(
      () => applyJsonPatch({}, [{}]),
      (error: unknown) => {
        assert.ok(error instanceof StatusError);
        assert.equal(error.message, 'the server rejected our request due to an error in our request');
        assert.deepEqual(error.status.details, {});
        return error.reason === 'Invalid';
      },
    );
  });

  it('compares numbers by their text', () => {
    const big = (text: string) => new JsonNumber(text);
    const test = (value: JsonValue) => [{ op: 'test', path: '/x', value }];
    applyJsonPatch({ x: 1 }, test(1));
    assert.throws(() => applyJsonPatch({ x: 1 }, test(big('1.0'))), { code: 422 });
    assert.throws(() => applyJsonPatch({ x: 1 }, test(true)), { code: 422 });
    applyJsonPatch({ x: big('9007199254740993') }, test(big('9007199254740993')));
    assert.throws(() => applyJsonPatch({ x: big('9007199254740993') }, test(big('9007199254740992'))), { code: 422 });
  });

  it('does not change the patch when a later operation changes a value that it added', () => {
    const patch: JsonValue = [
      { op: 'add', path: '/a', value: { l: [] } },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/a/l/-', value: 1 },
      { op: 'test', path: '', value: { a: { l: [1] }, b: { l: [] } } },
      { op: 'replace', path: '', value: { c: {} } },
      { op: 'add', path: '/d', value: 1 },
      { op: 'add', path: '/c/e', value: 1 },
    ];
    const before = structuredClone(patch);
    assert.deepEqual(applyJsonPatch({}, patch), { c: { e: 1 }, d: 1 });
    assert.deepEqual(patch, before);
  });

  it('limits the total size that copy operations add', () => {
    const patch = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/l', path: '/l/-' }));
    assert.throws(() => applyJsonPatch({ l: ['x'.repeat(100)] }, patch), { code: 422 });
  });

  it('limits the number of list items that operations move', () => {
    const patch = Array.from({ length: 9_000 }, () => ({ op: 'remove', path: '/l/0' }));
    const after = (length: number) => applyJsonPatch({ l: Array(length).fill(1) }, patch)['l'] as JsonValue[];
    assert.equal(after(9_500).length, 500);
    assert.throws(() => after(30_000), { code: 422 });
  });

  it('treats __proto__ as an ordinary key', () => {
    const after = applyJsonPatch({ d: {} }, [{ op: 'add', path: '/d/__proto__', value: { polluted: true } }]);
    assert.deepEqual(Object.keys(after['d'] as JsonObject), ['__proto__']);
    assert.equal(({} as JsonObject)['polluted'], undefined);
    assert.throws(() => applyJsonPatch({}, [{ op: 'add', path: '/__proto__/x', value: 1 }]), { code: 422 });
  });

  it('reports unknown members of operations', () => {
    const patch = [{ op: 'add' }, { op: 'add', extra: true }];
    assert.deepEqual(unknownOperationMembers(patch), ['json patch unknown field "[1].extra"']);
  });

  it('the operation remove undoes the operation add', () => {
    const map = fc.dictionary(fc.string(), fc.integer(), { noNullPrototype: true });
    fc.assert(
      fc.property(map, fc.string(), fc.jsonValue(), (d, name, value) => {
        fc.pre(!Object.hasOwn(d, name));
        const path = `/d/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const added = applyJsonPatch({ d }, [{ op: 'add', path, value: value as JsonValue }]);
        assert.deepEqual(applyJsonPatch(added, [{ op: 'remove', path }]), { d });
      }),
    );
  });

  it('returns a result or a 4xx for any document', () => {
    const path = fc.constantFrom('/a', '/a/0', '/a/-', '/b/x', '', '/', '/a/1/x', '/b');
    const operation = fc.record(
      {
        op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
        path,
        from: path,
        value: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(operation), (patch) => {
        const live = { a: [1, { x: 1 }], b: { x: [] } };
        try {
          applyJsonPatch(live, patch as unknown as JsonValue);
        } catch (error) {
          assert.ok(error instanceof StatusError && error.code < 500, String(error));
        }
        assert.deepEqual(live, { a: [1, { x: 1 }], b: { x: [] } });
      }),
    );
  });
});
