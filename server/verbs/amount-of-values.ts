import { type StatusError, tooLarge } from '#base/errors/status-error.ts';
import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { scan } from '#base/json/scan.ts';

/**
 * The largest number of members of all objects in a body. A member takes 20 bytes in the store, with its name in the
 * managed fields, and the store accepts 1.5 MiB. A body with more members cannot be stored, and finding this out later
 * would take seconds.
 */
const MOST_MEMBERS = 75_000;

/** The largest number of members and of items of all lists in a body. The store accepts no more. */
const MOST_VALUES = 400_000;

/** The size in bytes below which a body cannot contain as much. */
const HARMLESS = 300_000;

function refused(): StatusError {
  return tooLarge('the body holds more values than the store takes');
}

/**
 * Counts the marks in a JSON text, because a parser would take long until it finds out that the text contains too much.
 * Returns whether the values in the text must still be counted.
 *
 * @throws StatusError (413) for more parts than any object can have
 */
export function checkText(body: Uint8Array): boolean {
  if (body.length < HARMLESS) return false;
  const { colons, commas, opened } = scan(body);
  if (colons > MOST_MEMBERS || commas > MOST_VALUES) throw refused();
  return commas + opened > MOST_VALUES;
}

/**
 * @throws StatusError (413) for a value with more parts than any object can have; the value was read from this number
 * of bytes
 */
export function checkAmount(value: JsonValue, bytes: number): void {
  if (bytes < HARMLESS) return;
  let members = 0;
  let values = 0;
  const pending: JsonValue[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null || next instanceof JsonNumber) continue;
    if (Array.isArray(next)) {
      values += next.length;
      for (const part of next) if (typeof part === 'object' && part !== null) pending.push(part);
    } else {
      for (const name in next) {
        members++;
        const part = next[name]!;
        if (typeof part === 'object' && part !== null) pending.push(part);
      }
    }
    if (members > MOST_MEMBERS || values + members > MOST_VALUES) throw refused();
  }
}
