import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject } from '../../server/json/json-value.ts';
import { applyPatch } from '../../server/patch/apply-patch.ts';
import { shapeOf } from '../../server/patch/merge-shape.ts';
import { loadSchema } from '../../server/schema/load.ts';
import { threeWayPatch } from './three-way-patch.ts';

const pod = loadSchema().message('core.v1.Pod');

describe('patches of three', () => {
  const cases: readonly [
    what: string,
    original: JsonObject,
    modified: JsonObject,
    current: JsonObject,
    patch: JsonObject,
  ][] = [
    ['nothing to do', { a: 1 }, { a: 1 }, { a: 1, b: 2 }, {}],
    ['a changed field', { a: 1 }, { a: 2 }, { a: 1 }, { a: 2 }],
    ['a field that somebody else changed', { a: 1 }, { a: 1 }, { a: 3 }, { a: 1 }],
    ['a field that the file dropped', { a: 1, b: 1 }, { a: 1 }, { a: 1, b: 1 }, { b: null }],
    ['one that is gone already', { a: 1, b: 1 }, { a: 1 }, { a: 1 }, {}],
    ['what others added stays', {}, { m: { x: 1 } }, { m: { x: 1, y: 2 } }, {}],
    ['inner fields', { m: { x: 1, z: 1 } }, { m: { x: 2 } }, { m: { x: 1, y: 2, z: 1 } }, { m: { x: 2, z: null } }],
    ['lists without keys are replaced', {}, { l: [1, 2] }, { l: [1] }, { l: [1, 2] }],
  ];
  for (const [what, original, modified, current, patch] of cases)
    it(what, () => assert.deepEqual(threeWayPatch(original, modified, current), patch));

  it('lists with keys are patched item by item', () => {
    const of = (...containers: JsonObject[]): JsonObject => ({ spec: { containers } });
    const patch = threeWayPatch(
      of({ name: 'a', image: '1' }, { name: 'b', image: '1' }),
      of({ name: 'a', image: '2' }),
      of({ name: 'a', image: '1', tty: true }, { name: 'b', image: '1' }, { name: 'injected', image: 'x' }),
      shapeOf(pod),
    );
    assert.deepEqual(patch, {
      spec: {
        containers: [
          { image: '2', name: 'a' },
          { $patch: 'delete', name: 'b' },
        ],
        '$setElementOrder/containers': [{ name: 'a' }],
      },
    });
  });

  it('bring every object to what the file says, and once only', () => {
    const container = fc.record({ name: fc.constantFrom('a', 'b', 'c'), image: fc.constantFrom('1', '2') });
    const object = fc.record({
      metadata: fc.record(
        {
          labels: fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.constantFrom('1', '2')),
          finalizers: fc.uniqueArray(fc.constantFrom('f/1', 'f/2')),
        },
        { requiredKeys: ['labels'] },
      ),
      spec: fc.record({ containers: fc.uniqueArray(container, { selector: ({ name }) => name, minLength: 1 }) }),
    });
    fc.assert(
      fc.property(object, object, object, (original, modified, current) => {
        const shape = shapeOf(pod);
        const of = (value: object) => JSON.parse(JSON.stringify(value)) as JsonObject;
        const patch = threeWayPatch(of(original), of(modified), of(current), shape);
        const after = applyPatch('strategic', pod, of(current), patch);
        assert.deepEqual(threeWayPatch(of(modified), of(modified), after, shape), {});
      }),
      { numRuns: 300 },
    );
  });
});
