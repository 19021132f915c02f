import { badRequest } from '#base/errors/status-error.ts';

const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

/**
 * The whole number in a query parameter; undefined if it is absent.
 *
 * @throws StatusError (400) for any other text
 */
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

/**
 * A resource version that a client sent. Undefined for `''` and a missing one. A version that no store can reach
 * becomes the largest safe integer.
 *
 * @throws StatusError (400) if it is not a 64-bit integer
 */
export function resourceVersion(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  const whole = /^\d+$/.test(text);
  if (!whole || BigInt(text) > UINT64_MAX) {
    const problem = `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${whole ? 'value out of range' : 'invalid syntax'}`;
    throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`);
  }
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
