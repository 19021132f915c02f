import type { DescriptionWriter } from './writer.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

/** Describes conditions with their reasons, if there are any. */
export function describeReasons(writer: DescriptionWriter, conditions: readonly Condition[] | null | undefined): void {
  if (!conditions?.length) return;
  writer.line(0, 'Conditions:');
  writer.table(
    1,
    ['Type', 'Status', 'Reason'],
    conditions.map(({ type, status, reason = '' }) => [`${type} `, status, reason]),
  );
}
