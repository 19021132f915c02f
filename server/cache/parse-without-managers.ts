import { mayMistakeKeys } from '#base/json/backslash-keys.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { parseTrusted } from '#base/json/parse-stored.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';

const START = ',"managedFields":[{';
/** Matches the end of metadata with managedFields, if another field of the object follows. */
const END = ']},"';
const MORE_METADATA = '}],"';

/**
 * Parses a stored object for a caller that needs its labels and selectable fields. The result leaves out managedFields
 * if these can be cut out of the text, because they are half of many objects. Long numbers in the result are rounded.
 *
 * @throws like {@link parseTrusted}
 */
export function parseWithoutManagers(body: Buffer): ApiObject {
  const text = body.toString();
  const start = text.indexOf(START);
  const end = start < 0 ? -1 : text.indexOf(END, start);
  if (end < 0) return whole(text);
  const more = text.indexOf(MORE_METADATA, start);
  if (more >= 0 && more < end) return whole(text);
  const rest = text.slice(0, start) + text.slice(end + 1);
  let object: JsonObject;
  try {
    object = JSON.parse(rest) as JsonObject;
  } catch {
    // The search found the end inside a string, such as a key `]},`. The rest then starts inside the string and is not
    // JSON.
    return whole(text);
  }
  return mayMistakeKeys(rest, object) ? whole(text) : asObject(object);
}

function whole(text: string): ApiObject {
  return parseTrusted(text) as unknown as ApiObject;
}
