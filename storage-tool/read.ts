import { ConfigError } from '#base/errors/config-error.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { isSealed } from '#program/encryption/sealed-value.ts';
import type { Data, StoredObject } from './data.ts';
import { type Out, tableText } from './output.ts';

/** One object, by its key or by `GROUP/RESOURCE/NAMESPACE/NAME`. For secret values it shows only their sizes. */
export async function get(data: Data, out: Out, [asked]: readonly string[]): Promise<number> {
  if (asked === undefined) throw new ConfigError('get needs a key, as core/configmaps/default/NAME');
  const key = asked.startsWith('/') ? asked : `${data.prefix}/${asked}`;
  const raw = await data.etcd.get(key);
  const place = data.place(key);
  if (raw === undefined || place === undefined) throw new ConfigError(`there is no object under ${key}`);
  const object = await data.open(place, raw);
  const { revision, lease, value } = object;
  const shown = {
    key,
    revision,
    lease,
    bytes: value.length,
    encrypted: isSealed(value),
    ...(object.problem === undefined ? { object: shownObject(object) } : { problem: object.problem }),
  };
  out.result(shown, `${JSON.stringify(shown, null, 2)}\n`);
  return object.problem === undefined ? 0 : 1;
}

/** Lists keys, revisions and sizes under a part of the prefix. */
export async function list(data: Data, out: Out, [under = '']: readonly string[]): Promise<number> {
  const rows: { key: string; revision: number; bytes: number; encrypted: boolean }[] = [];
  await data.each(under, ({ key, revision, value }) => {
    rows.push({ key, revision, bytes: value.length, encrypted: isSealed(value) });
    out.progress('objects', rows.length);
  });
  const text = tableText(
    ['KEY', 'REVISION', 'BYTES', 'ENCRYPTED'],
    rows.map((row) => [row.key, row.revision, row.bytes, row.encrypted ? 'yes' : '']),
  );
  out.result(rows, text);
  return 0;
}

/**
 * An object without secret values. Of secrets, and of values that are encrypted in the store, only names and sizes
 * remain.
 */
function shownObject({ id, plain, value }: StoredObject): JsonValue {
  let object: JsonObject;
  try {
    object = JSON.parse(plain!.toString()) as JsonObject;
  } catch {
    return `${plain!.length} bytes that are no object`;
  }
  if (id !== 'core/secrets' && !isSealed(value)) return object;
  const { kind, apiVersion, metadata } = object;
  const { name, namespace, uid, creationTimestamp } = (metadata ?? {}) as JsonObject;
  const sizes = Object.entries(object)
    .filter(([field]) => !['kind', 'apiVersion', 'metadata'].includes(field))
    .map(([field, content]) => [field, sizesOf(content)]);
  const kept = { name, namespace, uid, creationTimestamp } as JsonObject;
  return { kind: kind ?? null, apiVersion: apiVersion ?? null, metadata: kept, ...Object.fromEntries(sizes) };
}

function sizesOf(content: JsonValue): JsonValue {
  const size = (value: JsonValue) => `${Buffer.byteLength(JSON.stringify(value))} bytes`;
  if (content === null || typeof content !== 'object' || Array.isArray(content)) return size(content);
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, size(value)]));
}
