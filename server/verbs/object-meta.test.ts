import assert from 'node:assert/strict';
import type { ApiObject, ObjectMeta } from '#schema/objects/api-object.ts';
import { keepMetadata } from './object-meta.ts';

describe('keepMetadata in an update', () => {
  const old: ObjectMeta = {
    name: 'x-abcde',
    generateName: 'x-',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  const kept = { uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };
  const rows: readonly [string, ObjectMeta, ObjectMeta, ObjectMeta?][] = [
    [
      'keeps the fields that an update cannot change',
      { name: 'x-abcde', generateName: 'x-' },
      { generateName: 'x-', ...kept },
    ],
    ['removes generateName if the update leaves it out', { name: 'x-abcde' }, kept],
    ['changes generateName', { name: 'x-abcde', generateName: 'y-' }, { generateName: 'y-', ...kept }],
    [
      'keeps the deletion timestamp and the grace period',
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
