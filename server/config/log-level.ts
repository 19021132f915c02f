import { ConfigError } from '../errors/config-error.ts';
import type { Flags } from './parse-flags.ts';

/** How much goes into the log: `--v` as the field counts it, where 4 is for debugging. @throws ConfigError */
export function readLogLevel(flags: Flags): 'info' | 'debug' | 'trace' {
  const verbosity = flags.get('v');
  if (verbosity < 0) throw new ConfigError('flag --v must not be negative');
  if (verbosity >= 6) return 'trace';
  return verbosity >= 4 ? 'debug' : 'info';
}
