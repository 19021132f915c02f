import { numberText } from '#base/text/number-text.ts';
import { TimeSlice } from '#base/time/time-slice.ts';
import { type FamilyValues, QUANTILES } from './family-definition.ts';

/** The media type of the text format: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The number of characters that are converted to bytes at a time. A longer text costs the engine half as much again.
 */
const TEXT = 32 * 1024;

/** The size of the pieces in the output, in bytes. */
const PIECE = 256 * 1024;

function escaped(value: string): string {
  return /[\\"\n]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : value;
}

/** A number as the format spells it. */
function shownNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

/** Writes one series: all its lines. */
type WriteSeries = (labels: string, numbers: readonly number[]) => string;

function seriesWriter({ name, type, buckets = [] }: FamilyValues['family']): WriteSeries {
  const line = (suffix: string, labels: string, value: number): string =>
    `${name}${suffix}${labels === '' ? '' : `{${labels}}`} ${shownNumber(value)}\n`;
  if (type === 'histogram') {
    // Queries of dashboards compare bounds as texts.
    const bounds = [...buckets.map(numberText), '+Inf'].map((bound) => `le="${bound}"} `);
    return (labels, numbers) => {
      const head = `${name}_bucket{${labels === '' ? '' : `${labels},`}`;
      let text = '';
      let count = 0;
      for (let i = 0; i < bounds.length; i++) {
        count += numbers[i]!;
        text += `${head}${bounds[i]}${count}\n`;
      }
      return `${text}${line('_sum', labels, numbers[bounds.length]!)}${line('_count', labels, count)}`;
    };
  }
  if (type === 'summary') {
    return (labels, [sum, count, ...quantiles]) => {
      const shown = quantiles.map((value, i) =>
        line('', `${labels === '' ? '' : `${labels},`}quantile="${QUANTILES[i]}"`, value),
      );
      return `${shown.join('')}${line('_sum', labels, sum!)}${line('_count', labels, count!)}`;
    };
  }
  return (labels, [value]) => line('', labels, value!);
}

/** The written labels of series, by their values. They stay the same as long as the series exists. */
const written = new WeakMap<readonly string[], string>();

function shownLabels(labels: readonly string[], values: readonly string[]): string {
  let text = written.get(values);
  if (text === undefined) {
    text = values.map((value, at) => `${labels[at]}="${escaped(value)}"`).join();
    written.set(values, text);
  }
  return text;
}

/**
 * Families with series in the text format, piece by piece. Other work continues between pieces, for any number of
 * series.
 */
export async function* writeText(families: Iterable<FamilyValues>): AsyncGenerator<Buffer, void, void> {
  const slice = new TimeSlice();
  let text = '';
  let made: Buffer[] = [];
  let size = 0;
  for (const { family, series } of families) {
    if (series.length === 0) continue;
    const { name, help, type, labels } = family;
    text += `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
    const write = seriesWriter(family);
    for (const [values, numbers] of series) {
      text += write(shownLabels(labels, values), numbers);
      if (text.length < TEXT) continue;
      size += made[made.push(Buffer.from(text)) - 1]!.length;
      text = '';
      if (size < PIECE) continue;
      yield Buffer.concat(made, size);
      [made, size] = [[], 0];
      if (slice.over) await slice.yield();
    }
  }
  made.push(Buffer.from(text));
  const rest = Buffer.concat(made);
  if (rest.length > 0) yield rest;
}
