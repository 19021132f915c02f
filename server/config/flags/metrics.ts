import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const metricsFlags = [
  {
    name: 'allow-metric-labels',
    type: 'stringToString',
    default: '[]',
    built: true,
    about: 'METRIC,LABEL=VALUE,VALUE: the values that a label may have; others are counted together as `unexpected`',
  },
  { name: 'disabled-metrics', type: 'strings', built: true, about: 'names of metrics that are not served' },
  {
    name: 'show-hidden-metrics-for-version',
    type: 'string',
    built: true,
    about: 'previous minor version; metrics that were hidden since that version are served again',
  },
] as const satisfies readonly FlagDefinition[];
