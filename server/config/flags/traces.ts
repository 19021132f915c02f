import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const tracesFlags = [
  {
    name: 'tracing-config-file',
    type: 'string',
    built: true,
    about: 'file with a TracingConfiguration: the collector (OTLP over gRPC) that receives traces of requests',
  },
] as const satisfies readonly FlagDefinition[];
