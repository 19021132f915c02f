import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Changed, Revision, Written } from '#storage/object-store.ts';
import type { WriteContext } from '../api/resource-definition.ts';
import type { StoredResource } from '../api/served-resource.ts';
import { conditionsOf, requireHolding, type WriteCondition } from '../api/write-condition.ts';
import type { Registry } from '../resources/registry.ts';
import { formBytes, ownWrite, storedForm, storedValue } from './written.ts';

/** A change of a stored object. */
export interface ObjectChange {
  readonly stored: StoredResource;
  readonly key: string;
  /** The revision that the object must still have. */
  readonly expected: number;
  /**
   * The changed object and its stored bytes; undefined deletes it. `hidden` adds stored fields of other releases, if
   * there can be any.
   */
  readonly after:
    | { readonly object: ApiObject; readonly value: Buffer; readonly hidden?: (form: ApiObject) => ApiObject }
    | undefined;
  readonly old: ApiObject;
  readonly write: WriteContext;
}

/**
 * The result of a commit. `claimed` means that another object holds the name or number that this object needs. In this
 * case nothing was written.
 */
export type Commit = ((Written | Changed) & { readonly value: Buffer }) | { readonly outcome: 'claimed' };

const NOTHING = Buffer.alloc(0);

/** All conditions of a write, except that of its object. */
export function restsOf({ condition }: StoredResource, { rests }: WriteContext): readonly WriteCondition[] {
  const basis = rests?.basis;
  if (basis === undefined) return condition === undefined ? NO_RESTS : [condition];
  return condition === undefined ? [basis] : [condition, basis];
}

const NO_RESTS: readonly WriteCondition[] = [];

/** The bytes of an object after its allocation of names and numbers. */
function allocated(stored: StoredResource, { object, value, hidden }: NonNullable<ObjectChange['after']>): Buffer {
  if (stored.rules.allocate === undefined) return value;
  return hidden === undefined ? storedValue(stored, object) : formBytes(hidden(storedForm(stored, object)));
}

/**
 * Writes the bytes of an object, or deletes the object if there are none. The write happens only if the object's
 * revision is still `expected` and the conditions of all writes to the resource hold.
 *
 * @throws StaleDefinition if they do not hold
 */
export async function writeAlone(
  { store }: Registry,
  stored: StoredResource,
  write: WriteContext,
  key: string,
  expected: Revision,
  value: Buffer | undefined,
  ttlSeconds?: number,
): Promise<Written | Changed> {
  const absolute = stored.keyPrefix + key;
  const rests = restsOf(stored, write);
  if (rests.length === 0) {
    return value === undefined ? store.remove(absolute, expected) : store.update(absolute, expected, value, ttlSeconds);
  }
  const own = { key: absolute, ...(value && { value }), ...(ttlSeconds === undefined ? {} : { ttlSeconds }) };
  const conditions = [{ key: absolute, revision: expected }, ...conditionsOf(rests)];
  const result = await store.transact(conditions, [own]);
  if (result.outcome === 'written') return result;
  requireHolding(rests, result.current);
  return { outcome: 'changed', current: result.current[0] };
}

/**
 * Writes or deletes an object, together with the names or numbers that it claims or releases. When this resolves, the
 * cache usually contains the change.
 */
export async function commit(registry: Registry, change: ObjectChange): Promise<Commit> {
  const { stored, expected, after, old, write } = change;
  const { rules } = stored;
  const { store, etcdPrefix } = registry;
  const key = stored.keyPrefix + change.key;
  const object = after?.object;
  const allocation = await rules.allocate?.(object, old, { ...write, store, etcdPrefix });
  const value = after === undefined ? NOTHING : allocated(stored, after);
  const ttl = object === undefined ? undefined : rules.ttlSeconds?.(object);
  if (allocation === undefined) {
    const bytes = object === undefined ? undefined : value;
    const result = await ownWrite(registry, key, value, () =>
      writeAlone(registry, stored, write, change.key, expected, bytes, ttl),
    );
    return { ...result, value };
  }
  const own = object === undefined ? { key } : { key, value, ...(ttl === undefined ? {} : { ttlSeconds: ttl }) };
  const rests = restsOf(stored, write);
  const conditions = [{ key, revision: expected }, ...allocation.conditions, ...conditionsOf(rests)];
  const result = await ownWrite(registry, key, value, () => store.transact(conditions, [own, ...allocation.writes]));
  if (result.outcome === 'written') return { ...result, value };
  requireHolding(rests, result.current);
  const [current] = result.current;
  if (current?.revision === expected) return { outcome: 'claimed' };
  return { outcome: 'changed', current, value };
}
