import assert from 'node:assert/strict';
import fc from 'fast-check';
import { StatusError } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { atOnce } from '#base/time/steps.ts';
import { loadSchema } from '../descriptors/load.ts';
import { normalize } from '../objects/normalize.ts';
import { apply } from './apply.ts';
import { objectSchemaOf } from './apply-type.ts';
import { comparingButTimes, decodeManagers } from './managers.ts';
import { managedFieldsOf, trackUpdate } from './update.ts';
import { isBare } from './value.ts';

type Data = { [key: string]: string };

/**
 * A model of the effect of applies and updates on keys. Each key has a value and owners. The map that holds the keys
 * belongs to the managers that filled it by an update. It still belongs to them after applies empty it. Then another
 * manager can set it again only by force.
 */
class Model {
  values = new Map<string, string>();
  owners = new Map<string, Set<string>>();
  holders = new Set<string>();

  /** Returns whether the apply succeeded. */
  apply(owner: string, config: Data, force: boolean): boolean {
    const conflict = (key: string): boolean =>
      this.values.has(key) &&
      this.values.get(key) !== config[key] &&
      [...this.owners.get(key)!].some((who) => who !== owner);
    const appears = this.values.size === 0 && !isBare(config);
    if (!force && ((appears && this.holders.size > 0) || Object.keys(config).some(conflict))) return false;
    if (appears) this.holders.clear();
    for (const [key, owners] of this.owners) {
      if (!(key in config) && owners.delete(owner) && owners.size === 0) this.#remove(key);
    }
    for (const [key, value] of Object.entries(config)) {
      if (this.values.get(key) === value) this.owners.get(key)!.add(owner);
      else this.#set(key, value, owner);
    }
    return true;
  }

  update(owner: string, data: Data): void {
    const before = this.values.size;
    for (const key of [...this.values.keys()]) if (!(key in data)) this.#remove(key);
    for (const [key, value] of Object.entries(data)) if (this.values.get(key) !== value) this.#set(key, value, owner);
    const after = this.values.size;
    if (before === 0 && after > 0) this.holders = new Set([owner]);
    if (before > 0 && after === 0) this.holders.clear();
  }

  #set(key: string, value: string, owner: string): void {
    this.values.set(key, value);
    this.owners.set(key, new Set([owner]));
  }

  #remove(key: string): void {
    this.values.delete(key);
    this.owners.delete(key);
  }
}

const message = loadSchema().message('core.v1.ConfigMap');
const versions = { schema: () => objectSchemaOf(message), convert: () => undefined };
const canonical = (object: JsonObject): JsonObject => ({ apiVersion: 'v1', ...normalize(message, object) });
const write = { apiVersion: 'v1', subresource: '', versions, now: new Date(0) };

function tryApply(
  live: JsonObject,
  manager: string,
  data: Data,
  force: boolean,
): { object: JsonObject; changed: boolean } | undefined {
  try {
    return apply({ ...write, live, manager, force, config: { apiVersion: 'v1', ...(isBare(data) ? {} : { data }) } });
  } catch (error) {
    if (error instanceof StatusError && error.code === 409) return undefined;
    throw error;
  }
}

/** The owners of the keys of `data`, and of `data` itself, in the object. */
function ownersIn(object: JsonObject): Pick<Model, 'owners' | 'holders'> {
  const owners = new Map<string, Set<string>>();
  const holders = new Set<string>();
  for (const { manager, operation, fields } of decodeManagers(managedFieldsOf(object)).values()) {
    const node = fields.nodes.get('f:data');
    if (node?.member === true) holders.add(`${manager}/${operation}`);
    for (const [key] of node?.children?.nodes ?? []) {
      const name = key.slice(2);
      owners.set(name, (owners.get(name) ?? new Set()).add(`${manager}/${operation}`));
    }
  }
  return { owners, holders };
}

describe('field ownership', () => {
  const data = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2'));
  const manager = fc.constantFrom('m', 'n', 'o');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('apply' as const), manager, data, force: fc.boolean() }),
    fc.record({ kind: fc.constant('update' as const), manager, data }),
  );

  it('is the same as in a simple model after any sequence of applies and updates', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const model = new Model();
        // At least one manager always owns a field. Otherwise updates are not tracked.
        const start = canonical({ metadata: { labels: { kept: '1' } } });
        let object = canonical(trackUpdate({ ...write, live: undefined, updated: start, manager: 'creator' }));
        for (const { manager, data, ...step } of steps) {
          if (step.kind === 'update') {
            model.update(`${manager}/Update`, data);
            object = canonical(
              trackUpdate({ ...write, live: object, updated: canonical({ ...object, data }), manager }),
            );
          } else {
            const went = tryApply(object, manager, data, step.force);
            assert.equal(went !== undefined, model.apply(`${manager}/Apply`, data, step.force));
            if (went === undefined) continue;
            object = canonical(went.object);
            const again = tryApply(object, manager, data, false);
            assert.equal(again?.changed, false);
            const [before, after] = [object, canonical(again!.object)].map((one) => managedFieldsOf(one) ?? []);
            assert.ok(atOnce(comparingButTimes(before!, after!)));
          }
          assert.deepEqual(new Map(Object.entries((object.data as Data | undefined) ?? {})), model.values);
          assert.deepEqual(ownersIn(object), { owners: model.owners, holders: model.holders });
        }
      }),
      { numRuns: 150 },
    );
  });
});
