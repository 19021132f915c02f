import { table } from '../base/own-properties.ts';
import { ConfigError } from '../errors/config-error.ts';

const milliseconds: Readonly<Record<string, number>> = table({
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
});

/**
 * Reads a duration as flags and files write it: `1m0s`, `500ms`, `1.5h`, `0`.
 * @returns milliseconds
 * @throws ConfigError
 */
export function parseDuration(text: string): number {
  const [, sign = '', parts = ''] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  if (parts === '0') return 0;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(parts))
    throw new ConfigError(`${JSON.stringify(text)} is not a duration like 1m30s, 500ms or 2h`);
  let sum = 0;
  for (const [, number = '', unit = ''] of parts.matchAll(/([\d.]+)([^\d.]+)/g))
    sum += Number(number) * milliseconds[unit]!;
  return sign === '-' ? -sum : sum;
}
