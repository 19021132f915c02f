import type { FlagDefinition } from './flag-definition.ts';

export const egressSelectorFlags = [
  { name: 'egress-selector-config-file', type: 'string' },
] as const satisfies readonly FlagDefinition[];
