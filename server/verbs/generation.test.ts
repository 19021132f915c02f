import assert from 'node:assert/strict';
import type { GenerationRule } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { bumpGeneration } from './generation.ts';

const OLD = { metadata: { generation: 4, labels: { a: '1' } }, spec: { a: 1 }, data: 1, status: { b: 1 } };

const ROWS: [rule: GenerationRule, what: string, change: object, after: number][] = [
  ['spec', 'a change of the spec', { spec: { a: 2 } }, 5],
  ['spec', 'a change of the status', { status: { b: 2 } }, 4],
  ['spec', 'a change of a label', { metadata: { labels: {} } }, 4],
  ['spec-and-annotations', 'a change of an annotation', { metadata: { annotations: { a: 'b' } } }, 5],
  ['content', 'a change outside of metadata and status', { data: 2 }, 5],
  ['content', 'a change of a label', { metadata: { labels: {} } }, 4],
  ['content-and-labels', 'a change of a label', { metadata: { labels: {} } }, 5],
  ['created', 'a change of the spec', { spec: { a: 2 } }, 4],
  ['mount-settings', 'a change of another field of the spec', { spec: { a: 2, storageCapacity: true } }, 4],
  ['mount-settings', 'a change of the tokens of a driver', { spec: { a: 1, tokenRequests: [{ audience: 'x' }] } }, 5],
  ['mount-settings', 'a change of requiresRepublish', { spec: { a: 1, requiresRepublish: true } }, 5],
];

describe('bumpGeneration', () => {
  for (const [rule, what, change, after] of ROWS) {
    it(`${after === 4 ? 'does not count' : 'counts'} ${what} (${rule})`, () => {
      const object = asObject(structuredClone({ ...OLD, ...change }));
      bumpGeneration(rule, object, asObject(OLD));
      assert.equal(object.metadata.generation, after);
    });
  }

  it('sets no generation before the first counted change, if the kind does not start with one', () => {
    const old = { metadata: {}, spec: {} } as ApiObject;
    const same = { metadata: { generation: 7 }, spec: {} } as ApiObject;
    bumpGeneration('mount-settings', same, old);
    assert.equal(same.metadata.generation, undefined);
    const changed = asObject({ metadata: {}, spec: { requiresRepublish: true } });
    bumpGeneration('mount-settings', changed, old);
    assert.equal(changed.metadata.generation, 1);
  });
});
