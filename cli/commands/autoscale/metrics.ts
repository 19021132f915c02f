import type { JsonObject } from '#base/json/json-value.ts';
import { canonicalQuantity } from '#schema/values/quantity.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flags } from '../../framework/flag.ts';

/** The units of numbers without a unit. */
const UNITS = { cpu: 'm', memory: 'Mi' } as const;

/**
 * The metrics that `--cpu` and `--memory` ask for, as autoscalers of `autoscaling/v2` have them. Where there are some,
 * `--cpu-percent` is one of them.
 * @throws CommandError
 */
export function metricsIn(flags: Flags): readonly JsonObject[] {
  const [cpu, memory, percent] = [flags.text('cpu'), flags.text('memory'), flags.int('cpu-percent')];
  if (percent > 0 && cpu !== '') throw new CommandError('--cpu-percent and --cpu are mutually exclusive');
  const metrics = [
    ...(cpu === '' ? [] : [metric('cpu', target('cpu', cpu))]),
    ...(memory === '' ? [] : [metric('memory', target('memory', memory))]),
  ];
  if (metrics.length === 0 || percent <= 0) return metrics;
  return [metric('cpu', { type: 'Utilization', averageUtilization: percent }), ...metrics];
}

function metric(name: string, target: JsonObject): JsonObject {
  return { type: 'Resource', resource: { name, target } };
}

/** `80%` of the pods' requests, or a quantity per pod. */
function target(resource: keyof typeof UNITS, given: string): JsonObject {
  const text = given.trim();
  if (text.endsWith('%')) {
    const percent = text.slice(0, -1);
    if (!/^\+?\d+$/.test(percent) || Number(percent) > 0x7f_ff_ff_ff)
      throw new CommandError(`invalid percentage value: ${percent}`);
    return { type: 'Utilization', averageUtilization: Number(percent) };
  }
  const quantity = /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text) ? `${text}${UNITS[resource]}` : text;
  try {
    return { type: 'AverageValue', averageValue: canonicalQuantity(quantity) };
  } catch {
    throw new CommandError(`invalid resource ${resource} value: ${text}`);
  }
}
