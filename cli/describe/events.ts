import { formatAge } from '../output/age.ts';
import type { Found } from '../resources/found.ts';
import type { DescribeContext } from './describer.ts';
import type { DescriptionWriter } from './writer.ts';

interface Event {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
}

/** Adds the events about an object, oldest first, or that there are none. Where they may not be read nothing is said. */
export async function describeEvents(
  writer: DescriptionWriter,
  { object, type }: Found,
  context: DescribeContext,
): Promise<void> {
  if (!context.showEvents) return;
  const { session } = context;
  const client = await session.client();
  const { name = '', namespace = '', uid = '' } = object.metadata;
  const selector = [
    `involvedObject.name=${name}`,
    ...(namespace === '' ? [] : [`involvedObject.namespace=${namespace}`]),
    `involvedObject.kind=${type.kind}`,
    ...(uid === '' ? [] : [`involvedObject.uid=${uid}`]),
  ].join(',');
  const within = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const path = `/api/v1${within}/events?fieldSelector=${encodeURIComponent(selector)}&limit=500`;
  const list = await client.getJson<{ items?: Event[] | null }>(path).catch(() => undefined);
  if (list === undefined) return;
  const events = [...(list.items ?? [])].sort((a, b) => (lastOf(a) < lastOf(b) ? -1 : 1));
  if (events.length === 0) {
    writer.line(0, 'Events:\t<none>');
    return;
  }
  writer.line(0, 'Events:');
  writer.line(1, 'Type\tReason\tAge\tFrom\tMessage');
  writer.line(1, '----\t------\t----\t----\t-------');
  const now = session.io.now();
  for (const event of events) {
    const from = event.source?.component || event.reportingComponent || '';
    const message = (event.message ?? '').trim();
    writer.line(1, [event.type ?? '', event.reason ?? '', ageOf(event, now), from, message].join('\t'));
  }
}

function lastOf({ series, lastTimestamp, firstTimestamp, eventTime }: Event): string {
  return series?.lastObservedTime ?? lastTimestamp ?? firstTimestamp ?? eventTime ?? '';
}

function ageOf(event: Event, now: number): string {
  const last = lastOf(event);
  if (last === '') return '<unknown>';
  const age = formatAge(now - Date.parse(last));
  const count = event.series?.count ?? event.count ?? 1;
  const first = event.firstTimestamp ?? event.eventTime;
  return count > 1 && first ? `${age} (x${count} over ${formatAge(now - Date.parse(first))})` : age;
}
