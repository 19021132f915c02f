import type { FlagDefinition } from '../../flags/flag-definition.ts';

export const tracesFlags = [
  { name: 'tracing-config-file', type: 'string' },
] as const satisfies readonly FlagDefinition[];
