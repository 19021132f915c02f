/** A mistake in flags or configuration files. The message says what to change; the process ends with status 1. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError';
}
