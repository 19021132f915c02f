import { jsonEqual } from '#base/json/json-equal.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';

/** The largest number of paths that are shown. A note follows if there are more. */
const MOST = 6;
/** The fields that change with every write, or that items of lists omit. */
const NOISE = new Set([
  'apiVersion',
  'kind',
  'metadata.resourceVersion',
  'metadata.managedFields',
  'metadata.generation',
]);

/** The fields in which two objects differ, such as `spec.replicas`. `+` marks a new field, and `-` a removed field. */
export function changedPaths(older: unknown, newer: unknown): string[] {
  const found: string[] = [];
  compare(older, newer, '', found);
  return found.length <= MOST ? found : [...found.slice(0, MOST), `and ${found.length - MOST} more`];
}

function compare(a: unknown, b: unknown, path: string, found: string[]): void {
  if (NOISE.has(path)) return;
  if (isObject(a) && isObject(b)) {
    for (const key of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort())
      compare(own(a, key), own(b, key), path === '' ? key : `${path}.${key}`, found);
    return;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let at = 0; at < Math.max(a.length, b.length); at++) compare(a[at], b[at], `${path}[${at}]`, found);
    return;
  }
  if (jsonEqual(a, b)) return;
  found.push(a === undefined ? `+${path}` : b === undefined ? `-${path}` : path);
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
