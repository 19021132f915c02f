import { ConfigError } from '../errors/config-error.ts';

/** The number of a flag, which must not be less than `least`: 0 or 1. @throws ConfigError */
export function atLeast(least: number, value: number, name: string): number {
  if (value < least) throw new ConfigError(`flag --${name} must ${least === 0 ? 'not be negative' : 'be positive'}`);
  return value;
}
