import type { Item } from '../cache/item.ts';
import { servedBody } from '../registry/convert.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { parseStored } from './json/parse-stored.ts';
import { encodeMessage } from './protobuf/encode.ts';

/** How many bytes of encoded objects are kept. */
const LIMIT = 32 * 1024 * 1024;

/** Two generations: the older one is dropped when the younger one has grown to half of the limit. */
let young = new Map<string, WeakMap<Item, Uint8Array>>();
let old = new Map<string, WeakMap<Item, Uint8Array>>();
let youngBytes = 0;

/** The protobuf message of a stored object in a served version, without envelope: encoded once per revision. */
export function protobufBody(registry: Registry, served: ServedResource, item: Item): Uint8Array {
  const form = served.apiVersion;
  let memo = young.get(form);
  const known = memo?.get(item) ?? old.get(form)?.get(item);
  if (known !== undefined) return known;
  const object = parseStored(servedBody(registry, served, item));
  const bytes = encodeMessage(served.type.message, object);
  if (youngBytes > LIMIT / 2) {
    old = young;
    young = new Map();
    youngBytes = 0;
    memo = undefined;
  }
  if (memo === undefined) young.set(form, (memo = new WeakMap()));
  memo.set(item, bytes);
  youngBytes += bytes.length;
  return bytes;
}
