import assert from 'node:assert/strict';
import type { JsonObject } from '#base/json/json-value.ts';
import { loadSchema } from '../descriptors/load.ts';
import { normalize } from '../objects/normalize.ts';
import { apply } from './apply.ts';
import { objectSchemaOf } from './apply-type.ts';
import { trackUpdate } from './update.ts';

const message = loadSchema().message('core.v1.ConfigMap');
const annotation = 'example.com/last';
const write = {
  apiVersion: 'v1',
  subresource: '',
  versions: { schema: () => objectSchemaOf(message), convert: () => undefined },
  now: new Date(0),
};

/** An object that a client applied on its own side; `data` is its present content. */
function appliedByClient(config: JsonObject, data: JsonObject): JsonObject {
  const last = JSON.stringify({ apiVersion: 'v1', ...config });
  const updated = {
    apiVersion: 'v1',
    ...normalize(message, { metadata: { annotations: { [annotation]: last } }, data }),
  };
  return trackUpdate({ ...write, live: undefined, updated, manager: 'client-side' });
}

function changeOver(live: JsonObject, data: JsonObject, manager = 'client'): JsonObject {
  const clientSide = { manager: 'client', annotation };
  return apply({ ...write, live, manager, force: false, clientSide, config: { data, apiVersion: 'v1' } }).object;
}

describe('migration from client-side apply', () => {
  it('takes over the fields of the last-applied annotation and updates the annotation', () => {
    const after = changeOver(appliedByClient({ data: { x: '1' } }, { x: '1' }), { x: '2' });
    assert.deepEqual(after.data, { x: '2' });
    assert.deepEqual((after.metadata as JsonObject).annotations, {
      [annotation]: '{"apiVersion":"v1","data":{"x":"2"}}\n',
    });
  });
  it('does not take over a field that has changed since', () => {
    const live = appliedByClient({ data: { x: '1', y: '1' } }, { x: '1', y: '5' });
    assert.throws(
      () => changeOver(live, { x: '2', y: '2' }),
      /1 conflict: conflict with "client-side" using v1: .data.y/,
    );
  });
  it('works only for the manager of client-side apply', () => {
    assert.throws(
      () => changeOver(appliedByClient({ data: { x: '1' } }, { x: '1' }), { x: '2' }, 'other'),
      /1 conflict/,
    );
  });
});
