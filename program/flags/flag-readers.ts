import { ConfigError } from '#base/errors/config-error.ts';

export function together(
  firstName: string,
  first: string | undefined,
  secondName: string,
  second: string | undefined,
): void {
  if ((first === undefined) !== (second === undefined))
    throw new ConfigError(`flags --${firstName} and --${secondName} belong together: give both or none`);
}

/** The text of a flag; undefined if the flag is not given. */
export function text(value: string): string | undefined {
  return value === '' ? undefined : value;
}

/** The number of a flag, which must not be less than `least`: 0 or 1. @throws ConfigError */
export function atLeast(least: number, value: number, name: string): number {
  if (value < least) throw new ConfigError(`flag --${name} must ${least === 0 ? 'not be negative' : 'be positive'}`);
  return value;
}
