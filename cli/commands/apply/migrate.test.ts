import assert from 'node:assert/strict';
import type { ManagedFieldsEntry } from '#schema/objects/api-object.ts';
import { handedOver } from './migrate.ts';

const entry = (manager: string, operation: string, fieldsV1: object, apiVersion = 'v1'): ManagedFieldsEntry =>
  ({ manager, operation, apiVersion, fieldsType: 'FieldsV1', fieldsV1 }) as unknown as ManagedFieldsEntry;
const here = new Set(['here']);

describe('handedOver moves the ownership of client-side apply', () => {
  const cases: readonly [what: string, before: ManagedFieldsEntry[], after: ManagedFieldsEntry[]][] = [
    [
      'to the entry that applies now',
      [entry('x', 'Apply', { 'f:a': {} }), entry('here', 'Update', { 'f:b': {} }), entry('y', 'Update', { 'f:c': {} })],
      [entry('x', 'Apply', { 'f:a': {}, 'f:b': {} }), entry('y', 'Update', { 'f:c': {} })],
    ],
    [
      'to a new entry if no manager has applied yet',
      [entry('y', 'Update', { 'f:c': {} }), entry('here', 'Update', { 'f:b': {} })],
      [entry('y', 'Update', { 'f:c': {} }), entry('x', 'Apply', { 'f:b': {} })],
    ],
    [
      'and keeps the ownership of a parent field',
      [entry('x', 'Apply', { 'f:a': {} }), entry('here', 'Update', { 'f:a': { 'f:b': {} } })],
      [entry('x', 'Apply', { 'f:a': { '.': {}, 'f:b': {} } })],
    ],
    [
      'and drops an entry of another version',
      [entry('x', 'Apply', { 'f:a': {} }), entry('here', 'Update', { 'f:b': {} }, 'v2')],
      [entry('x', 'Apply', { 'f:a': {} })],
    ],
  ];
  for (const [what, before, after] of cases) it(what, () => assert.deepEqual(handedOver(before, here, 'x'), after));

  it('and changes nothing if there is no such entry', () => {
    const before = [entry('x', 'Apply', { 'f:a': {} }), entry('y', 'Update', { 'f:c': {} })];
    assert.equal(handedOver(before, here, 'x'), before);
    assert.equal(handedOver(before, new Set(), 'x'), before);
  });
});
