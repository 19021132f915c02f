import { parseStored } from '#base/json/parse-stored.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { Reading } from '../api/stored-reading.ts';
import { type EncodedForm, EncodedPool } from '../cache/encoded-pool.ts';
import type { Item } from '../cache/item.ts';
import { encodeMessage } from './protobuf/encode.ts';

const pool = new EncodedPool(32 * 1024 * 1024);
const forms = new WeakMap<ServedResource, EncodedForm>();

/**
 * The protobuf message of a stored object in a served version, without an envelope. It is encoded once for each
 * revision.
 */
export function protobufBody(reading: Reading, served: ServedResource, item: Item): Uint8Array {
  let form = forms.get(served);
  if (form === undefined) forms.set(served, (form = pool.form()));
  const known = form.get(item);
  if (known !== undefined) return known;
  const bytes = encodeMessage(served.model.message!, parseStored(reading.body(item)));
  form.set(item, bytes);
  return bytes;
}
