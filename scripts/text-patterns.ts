import type { TextFormat } from '#schema/descriptors/text-format.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]';

/**
 * A JSON Schema pattern for texts of a form; undefined if no pattern describes the form. It refuses nothing that the
 * server accepts. If a value may also be a number, the pattern applies only to texts.
 */
export const TEXT_PATTERNS: Readonly<Record<TextFormat, string | undefined>> = {
  cidr: undefined,
  'config-key': '^[-._a-zA-Z0-9]{1,253}$',
  'cron-schedule': undefined,
  'dns-1035-label': '^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$',
  'dns-label': '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$',
  'dns-subdomain': `^(?=.{1,253}$)${LABEL}(\\.${LABEL})*$`,
  'domain-path': '^[^/]+/.+$',
  'driver-name': undefined,
  'environment-name': '^[ -<>-~]+$',
  'environment-variable': undefined,
  'host-pattern': `^(\\*\\.)?${LABEL}(\\.${LABEL})*$`,
  ip: undefined,
  'label-value': `^(${QUALIFIED})?$`,
  'path-segment': '^[^/%]*$',
  percent: '^[0-9]+%$',
  'port-name': '^(?=.*[a-z])[a-z0-9]([a-z0-9]|-(?=[a-z0-9])){0,14}$',
  'qualified-name': `^([a-z0-9.-]{1,253}/)?${QUALIFIED}$`,
  'signer-name': `^${LABEL}(\\.${LABEL})+/${LABEL}(\\.${LABEL})*$`,
  'time-zone': undefined,
};
