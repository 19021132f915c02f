import type { LimitRange } from '#schema/generated/core.v1.ts';
import type { Describer } from './describer.ts';
import { names } from './heading.ts';
import type { DescriptionWriter } from './writer.ts';

const HEADS = [
  'Type',
  'Resource',
  'Min',
  'Max',
  'Default Request',
  'Default Limit',
  'Max Limit/Request Ratio',
] as const;

/** Describes a limit range. Each resource of each type has one row. */
export const describeLimitRange: Describer = (writer, object) => {
  names(writer, object);
  limitsTable(writer, [object as LimitRange], '');
};

/** Describes the limits of a namespace. If there are none, writes a line that says so. */
export function describeLimits(writer: DescriptionWriter, ranges: readonly LimitRange[]): void {
  if (ranges.length === 0) {
    writer.line(0, 'No LimitRange resource.');
    return;
  }
  writer.line(0, 'Resource Limits');
  limitsTable(writer, ranges, ' ');
}

function limitsTable(writer: DescriptionWriter, ranges: readonly LimitRange[], lead: string): void {
  const rows = ranges
    .flatMap(({ spec }) => spec?.limits ?? [])
    .flatMap((item) => {
      const columns = [item.min, item.max, item.defaultRequest, item.default, item.maxLimitRequestRatio];
      const resources = [...new Set(columns.flatMap((amounts) => Object.keys(amounts ?? {})))].sort();
      return resources.map((name) => [
        `${lead}${item.type ?? ''}`,
        name,
        ...columns.map((amounts) => amounts?.[name] ?? '-'),
      ]);
    });
  const dashes = HEADS.map((head) => '-'.repeat(head === 'Min' || head === 'Max' ? 3 : head.length));
  const led = ([first, ...rest]: readonly string[]) => [`${lead}${first}`, ...rest];
  writer.table(0, led(HEADS), rows, led(dashes));
}
