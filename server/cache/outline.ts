import { mayMistakeKeys } from '../codecs/json/backslash-keys.ts';
import { parseStored } from '../codecs/json/parse-stored.ts';
import type { ApiObject } from '../schema/api-object.ts';
import type { JsonObject } from '../schema/json-value.ts';

const START = ',"managedFields":[{';
/** Metadata ends with managedFields, and another field of the object follows. */
const END = ']},"';
const MORE_METADATA = '}],"';

/**
 * A stored object for whoever wants its labels and selectable fields: without the managedFields of its metadata, which
 * are half of what many objects weigh, and with long numbers rounded. Throws as {@link parseStored}.
 */
export function outlineOf(body: Buffer): ApiObject {
  const text = body.toString();
  const start = text.indexOf(START);
  const end = start < 0 ? -1 : text.indexOf(END, start);
  if (end < 0) return parseStored<ApiObject>(body);
  const more = text.indexOf(MORE_METADATA, start);
  if (more >= 0 && more < end) return parseStored<ApiObject>(body);
  const rest = text.slice(0, start) + text.slice(end + 1);
  let outline: JsonObject;
  try {
    outline = JSON.parse(rest) as JsonObject;
  } catch {
    // The end was found in a text, such as a key `]},`. What follows then begins inside of a text and cannot be JSON.
    return parseStored<ApiObject>(body);
  }
  return mayMistakeKeys(rest, outline) ? parseStored<ApiObject>(body) : (outline as unknown as ApiObject);
}
