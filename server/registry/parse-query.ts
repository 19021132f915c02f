import { badRequest } from '../errors/status-error.ts';

const INT64_MAX = 9223372036854775807n;

/** A whole number of a query parameter; undefined when absent. Throws 400 on anything else. */
export function int64(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = BigInt(text);
  if (value > INT64_MAX || value < -INT64_MAX - 1n) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  }
  return Number(value);
}

/** A resource version that a client sent: `''` and absent are unset. Throws 400 where it is not a whole number. */
export function resourceVersion(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  if (!/^\d{1,20}$/.test(text) || !Number.isSafeInteger(Number(text))) {
    throw badRequest(`invalid resource version ${JSON.stringify(text)}: not a whole number`);
  }
  return Number(text);
}
