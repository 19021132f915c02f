import { ConfigError } from '#base/errors/config-error.ts';
import { parseDuration as parseValue } from '#schema/values/duration.ts';
import { ValueError } from '#schema/values/value-error.ts';

/**
 * Reads a duration in the form of flags and files: `1m0s`, `500ms`, `1.5h`, `0`.
 * @returns milliseconds
 * @throws ConfigError
 */
export function parseDuration(text: string): number {
  try {
    return parseValue(text);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ConfigError(`${JSON.stringify(text)} is not a duration like 1m30s, 500ms or 2h`);
  }
}
