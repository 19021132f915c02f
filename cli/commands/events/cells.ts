import type { ApiObject } from '#schema/objects/api-object.ts';
import { formatAge } from '../../output/age.ts';

/** An event of the core group, with the fields that tables show. */
export interface Happening extends ApiObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null } | null;
}

/**
 * The time of the last occurrence, in milliseconds since 1970. It is the earliest possible time if the event has none.
 */
export function lastSeen({ series, lastTimestamp, eventTime }: Happening): number {
  const text = series?.lastObservedTime ?? lastTimestamp ?? eventTime;
  return text ? Date.parse(text) : Number.NEGATIVE_INFINITY;
}

/** The cells for time, type, reason, object and message. */
export function eventCells(event: Happening, now: number): string[] {
  const { type = '', reason = '', involvedObject, message = '' } = event;
  const object = `${involvedObject?.kind ?? ''}/${involvedObject?.name ?? ''}`;
  return [seen(event, now), type, reason, object, message.trim()];
}

function seen({ series, count = 0, firstTimestamp, lastTimestamp, eventTime }: Happening, now: number): string {
  const since = (text: string | null | undefined) => (text ? formatAge(now - Date.parse(text)) : '<unknown>');
  const first = since(eventTime || firstTimestamp);
  if (series) return `${since(series.lastObservedTime)} (x${series.count ?? 0} over ${first})`;
  return count > 1 ? `${since(lastTimestamp)} (x${count} over ${first})` : first;
}
