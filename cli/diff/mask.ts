import { isObject, type JsonObject, type JsonValue } from '../../server/json/json-value.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import type { Versions } from './would-be.ts';

const HIDDEN = '***';

/** Secrets without their values: only whether these differ can be seen. */
export function masked({ live, merged }: Versions): Versions {
  if (merged.kind !== 'Secret' || merged.apiVersion !== 'v1') return { live, merged };
  const [before, after] = [dataOf(live), dataOf(merged)];
  return {
    live: live && hide(live, before, after, `${HIDDEN} (before)`),
    merged: hide(merged, after, before, `${HIDDEN} (after)`),
  };
}

function dataOf(object: ApiObject | undefined): JsonObject {
  const data = object?.['data'] as JsonValue | undefined;
  return data !== undefined && isObject(data) ? data : {};
}

function hide(object: ApiObject, own: JsonObject, other: JsonObject, changed: string): ApiObject {
  if (object['data'] === undefined) return object;
  const data = Object.entries(own).map(([key, value]) => [
    key,
    Object.hasOwn(other, key) && other[key] !== value ? changed : HIDDEN,
  ]);
  return { ...object, data: Object.fromEntries(data) } as ApiObject;
}
