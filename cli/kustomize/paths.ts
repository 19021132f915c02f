import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';

/**
 * Calls `visit` with each object to which a path such as `spec/volumes/configMap` leads. The path continues in each
 * item of a list. With `create`, missing members are created.
 */
export function visitObjects(
  value: JsonValue | undefined,
  path: string,
  visit: (object: JsonObject) => void,
  create = false,
): void {
  const [first, ...rest] = path === '' ? [] : path.split('/');
  if (Array.isArray(value)) {
    for (const item of value) visitObjects(item, path, visit, create);
    return;
  }
  if (!isObject(value)) return;
  if (first === undefined) {
    visit(value);
    return;
  }
  const missing = !Object.hasOwn(value, first) || value[first] === null;
  if (missing && !create) return;
  if (missing) value[first] = {};
  visitObjects(value[first], rest.join('/'), visit, create);
}
