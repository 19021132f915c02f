import { type StatusError, tooLarge } from '#base/errors/status-error.ts';
import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { scan } from '#base/json/scan.ts';

/**
 * Members of all objects in a body. Each takes 20 bytes in the store, with its name in the managed fields, and the
 * store takes 1.5 MiB: what has more could not be kept, but would take seconds to find that out.
 */
const MOST_MEMBERS = 75_000;

/** Members and items of all lists in a body: the store takes no more. */
const MOST_VALUES = 400_000;

/** Bodies of fewer bytes cannot hold as much. */
const HARMLESS = 300_000;

function refused(): StatusError {
  return tooLarge('the body holds more values than the store takes');
}

/**
 * @throws 413 for a JSON text of more parts than any object can have, by the marks in it: what parses it would take its
 * time to find that out
 */
export function checkText(body: Uint8Array): void {
  if (body.length < HARMLESS) return;
  const { colons, commas } = scan(body);
  if (colons > MOST_MEMBERS || commas > MOST_VALUES) throw refused();
}

/**
 * @throws 413 for a value, read from so many bytes, of more parts than any object can have
 */
export function checkAmount(value: JsonValue, bytes: number): void {
  if (bytes < HARMLESS) return;
  let members = 0;
  let values = 0;
  const pending: JsonValue[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null || next instanceof JsonNumber) continue;
    const parts = Array.isArray(next) ? next : Object.values(next);
    values += parts.length;
    if (!Array.isArray(next)) members += parts.length;
    if (members > MOST_MEMBERS || values > MOST_VALUES) throw refused();
    for (const part of parts) if (typeof part === 'object' && part !== null) pending.push(part);
  }
}
