import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';

const HIDDEN = '***';

/** An object at two moments, or in its present state and after the change. Undefined means that it does not exist. */
export interface Sides {
  readonly before?: ApiObject | undefined;
  readonly after?: ApiObject | undefined;
}

/** Hides the values of secrets. A reader can only see whether values differ. */
export function masked({ before, after }: Sides): Sides {
  const { kind, apiVersion } = after ?? before ?? {};
  if (kind !== 'Secret' || apiVersion !== 'v1') return { before, after };
  const [old, now] = [dataOf(before), dataOf(after)];
  return {
    before: before && hide(before, old, now, `${HIDDEN} (before)`),
    after: after && hide(after, now, old, `${HIDDEN} (after)`),
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
