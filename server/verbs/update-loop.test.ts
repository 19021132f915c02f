import assert from 'node:assert/strict';
import { notFound } from '#base/errors/status-error.ts';
import { OutcomeUnknownError, StoreUnavailableError } from '#storage/object-store.ts';
import type { WriteContext } from '../api/resource-definition.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import { itemOf } from '../cache/item.ts';
import type { Registry } from '../resources/registry.ts';
import { updateLoop } from './update-loop.ts';

const NOT_FOUND = notFound({ group: '', resource: 'configmaps' }, 'a');
const stored = Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}');

/**
 * A deletion of an object that is already deleted when the replica looks again. It fails with `error` while the object
 * exists.
 */
async function deletion(error: Error): Promise<unknown> {
  const states = [itemOf('a', stored, 5)];
  const cache = { get: () => states.shift() };
  const fresh = async () => 6;
  const registry = { cache: { fresh, home: () => ({ fresh }) } } as unknown as Registry;
  const served = { stored: { keyPrefix: '', cache } } as unknown as StoredServedResource;
  return updateLoop(registry, served, { bodyLength: 0, storedLength: 0 }, 'a', {} as WriteContext, async (current) => {
    throw current === undefined ? NOT_FOUND : error;
  });
}

describe('updateLoop with a deletion that fails because the object was deleted meanwhile', () => {
  const lost = new OutcomeUnknownError('lost');
  const rows: [what: string, error: Error, told: Error][] = [
    ['answers 404 if the deletion was refused for an old state', new Error('refused'), NOT_FOUND],
    ['answers 404 if the store was unavailable', new StoreUnavailableError('down'), NOT_FOUND],
    ['answers that the outcome is unknown if the deletion may have removed the object', lost, lost],
  ];
  for (const [what, error, told] of rows) it(what, () => assert.rejects(deletion(error), (thrown) => thrown === told));
});
