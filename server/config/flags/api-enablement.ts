import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const apiEnablementFlags = [
  {
    name: 'runtime-config',
    type: 'settings',
    built: true,
    about:
      'API versions to switch: api/all, api/beta, GROUP/VERSION or GROUP/VERSION/RESOURCE, each with =true or =false',
  },
] as const satisfies readonly FlagDefinition[];
