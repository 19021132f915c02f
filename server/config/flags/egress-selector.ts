import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const egressSelectorFlags = [
  { name: 'egress-selector-config-file', type: 'string' },
] as const satisfies readonly FlagDefinition[];
