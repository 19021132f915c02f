/** Forms of texts that `proto/` names (`text_format`). The checks are in schema/validation/text-formats.ts. */
export const TEXT_FORMATS = [
  'cidr',
  'config-key',
  'cron-schedule',
  'dns-1035-label',
  'dns-label',
  'dns-subdomain',
  'domain-path',
  'driver-name',
  'environment-name',
  'environment-variable',
  'host-pattern',
  'ip',
  'label-value',
  'path-segment',
  'percent',
  'port-name',
  'qualified-name',
  'signer-name',
  'time-zone',
] as const;

export type TextFormat = (typeof TEXT_FORMATS)[number];

/** Whether a text is the name of a form. */
export function isTextFormat(name: string): name is TextFormat {
  return (TEXT_FORMATS as readonly string[]).includes(name);
}
