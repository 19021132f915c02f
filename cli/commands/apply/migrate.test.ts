import assert from 'node:assert/strict';
import type { ManagedFieldsEntry } from '#schema/objects/api-object.ts';
import { handedOver } from './migrate.ts';

const entry = (manager: string, operation: string, fieldsV1: object, apiVersion = 'v1'): ManagedFieldsEntry =>
  ({ manager, operation, apiVersion, fieldsType: 'FieldsV1', fieldsV1 }) as unknown as ManagedFieldsEntry;
const here = new Set(['here']);

describe('fields that a client has applied itself, once the server merges', () => {
  const cases: readonly [what: string, before: ManagedFieldsEntry[], after: ManagedFieldsEntry[]][] = [
    [
      'go to who applies them now',
      [entry('x', 'Apply', { 'f:a': {} }), entry('here', 'Update', { 'f:b': {} }), entry('y', 'Update', { 'f:c': {} })],
      [entry('x', 'Apply', { 'f:a': {}, 'f:b': {} }), entry('y', 'Update', { 'f:c': {} })],
    ],
    [
      'are applied from now on where no client has applied yet',
      [entry('y', 'Update', { 'f:c': {} }), entry('here', 'Update', { 'f:b': {} })],
      [entry('y', 'Update', { 'f:c': {} }), entry('x', 'Apply', { 'f:b': {} })],
    ],
    [
      'keep that a field with others below it is one itself',
      [entry('x', 'Apply', { 'f:a': {} }), entry('here', 'Update', { 'f:a': { 'f:b': {} } })],
      [entry('x', 'Apply', { 'f:a': { '.': {}, 'f:b': {} } })],
    ],
    [
      'of another version are given up',
      [entry('x', 'Apply', { 'f:a': {} }), entry('here', 'Update', { 'f:b': {} }, 'v2')],
      [entry('x', 'Apply', { 'f:a': {} })],
    ],
  ];
  for (const [what, before, after] of cases) it(what, () => assert.deepEqual(handedOver(before, here, 'x'), after));

  it('stay as they are where there are none', () => {
    const before = [entry('x', 'Apply', { 'f:a': {} }), entry('y', 'Update', { 'f:c': {} })];
    assert.equal(handedOver(before, here, 'x'), before);
    assert.equal(handedOver(before, new Set(), 'x'), before);
  });
});
