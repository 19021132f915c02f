import type { JsonObject } from '#base/json/json-value.ts';
import { canonicalQuantity } from '#schema/values/quantity.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flags } from '../../framework/flag.ts';

/** The units that apply to numbers without a unit. */
const UNITS = { cpu: 'm', memory: 'Mi' } as const;

/**
 * The metrics that `--cpu`, `--memory` and `--cpu-percent` describe, in the form of `autoscaling/v2`.
 * @throws CommandError for a wrong value of a flag
 */
export function metricsIn(flags: Flags): readonly JsonObject[] {
  const [cpu, memory, percent] = [flags.text('cpu'), flags.text('memory'), flags.int('cpu-percent')];
  if (percent > 0 && cpu !== '') throw new CommandError('--cpu-percent and --cpu are mutually exclusive');
  return [
    ...(percent > 0 ? [metric('cpu', { type: 'Utilization', averageUtilization: percent })] : []),
    ...(cpu === '' ? [] : [metric('cpu', target('cpu', cpu))]),
    ...(memory === '' ? [] : [metric('memory', target('memory', memory))]),
  ];
}

/**
 * The percentage of processor time that expresses these metrics in `autoscaling/v1`. Undefined means that there are no
 * metrics.
 * @throws CommandError if that version cannot express them
 */
export function percentOf(metrics: readonly JsonObject[]): number | undefined {
  const [first, ...others] = metrics as readonly { resource: { name: string; target: JsonObject } }[];
  if (first === undefined) return undefined;
  const percent = first.resource.target['averageUtilization'];
  if (others.length > 0 || first.resource.name !== 'cpu' || typeof percent !== 'number')
    throw new CommandError('the server has only autoscaling/v1, which knows no target but a percentage of processors');
  return percent;
}

function metric(name: string, target: JsonObject): JsonObject {
  return { type: 'Resource', resource: { name, target } };
}

/** Parses a target, such as `80%` of the pods' requests, or a quantity for each pod. */
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
