/**
 * The error about a mistake in flags or configuration files. The message says what to change. The process ends with
 * status 1.
 */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError';
}
