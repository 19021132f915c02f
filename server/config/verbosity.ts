import { ConfigError } from '#base/errors/config-error.ts';
import type { Flags } from './parse-flags.ts';

/**
 * The log level: the number of `--v`, in the scale of the field, where 4 is for debugging. Undefined if the flag is
 * missing.
 * @throws ConfigError
 */
export function readVerbosity(flags: Flags): number | undefined {
  if (!flags.isSet('v')) return undefined;
  const verbosity = flags.get('v');
  if (verbosity < 0) throw new ConfigError('flag --v must not be negative');
  return verbosity;
}
