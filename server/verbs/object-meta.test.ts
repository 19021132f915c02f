import assert from 'node:assert/strict';
import type { ApiObject, ObjectMeta } from '#schema/objects/api-object.ts';
import { keepMetadata } from './object-meta.ts';

describe('metadata that an update sends', () => {
  const old: ObjectMeta = {
    name: 'x-abcde',
    generateName: 'x-',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  const kept = { uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };
  const rows: readonly [string, ObjectMeta, ObjectMeta, ObjectMeta?][] = [
    ['gets what no update changes', { name: 'x-abcde', generateName: 'x-' }, { generateName: 'x-', ...kept }],
    ['drops the prefix of its name where it leaves it out', { name: 'x-abcde' }, kept],
    ['changes the prefix', { name: 'x-abcde', generateName: 'y-' }, { generateName: 'y-', ...kept }],
    [
      'goes on with a deletion',
      { name: 'x-abcde' },
      { ...kept, deletionTimestamp: '2026-01-02T00:00:00Z', deletionGracePeriodSeconds: 3 },
      { ...old, deletionTimestamp: '2026-01-02T00:00:00Z', deletionGracePeriodSeconds: 3 },
    ],
  ];
  for (const [what, metadata, after, before = old] of rows)
    it(what, () => {
      const object: ApiObject = { metadata: { ...metadata } };
      keepMetadata(object, { metadata: before });
      assert.deepEqual(object.metadata, { name: 'x-abcde', ...after });
    });
});
