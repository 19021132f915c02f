import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { coreV1 } from '#client/generated/resources.ts';
import type { Event } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { DescribeContext } from './describer.ts';
import { ageText } from './times.ts';
import type { DescriptionWriter } from './writer.ts';

/** A reference to an object in the form that events contain. */
interface About {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/** Adds the events about an object, oldest first. If there are none, adds a line that says so. */
export async function describeEvents(
  writer: DescriptionWriter,
  object: ApiObject,
  type: DiscoveredType,
  context: DescribeContext,
): Promise<void> {
  const { name = '', namespace = '', uid = '' } = object.metadata;
  const about: About = { kind: type.kind, name, namespace, uid: mirrored(object, type, context) ?? uid };
  const found = await eventsAbout(about, context);
  // Events about nodes contain the name of the node in place of a uid.
  const ofNode = type.group === '' && type.kind === 'Node';
  const more = ofNode && name !== uid ? await eventsAbout({ ...about, uid: name }, context) : [];
  writeEvents(writer, [...more, ...found], context.now);
}

/** The value that events about a static pod contain instead of its uid. Undefined for other objects. */
function mirrored({ metadata }: ApiObject, type: DiscoveredType, { naming }: DescribeContext): string | undefined {
  return type.group === '' && type.kind === 'Pod' ? metadata.annotations?.[naming.key('config.mirror')] : undefined;
}

/** Returns no events if the user may not read them. */
async function eventsAbout(
  { kind, name, namespace, uid }: About,
  { client, chunkSize }: DescribeContext,
): Promise<Event[]> {
  const fields = { name, namespace, kind, uid };
  const fieldSelector = Object.entries(fields)
    .filter(([, value]) => value !== '')
    .map(([field, value]) => `involvedObject.${field}=${value}`)
    .join(',');
  const limit = chunkSize === 0 ? Number.MAX_SAFE_INTEGER : chunkSize;
  const events: Event[] = [];
  try {
    const collection = client.resource(coreV1.events).in(namespace === '' ? undefined : namespace);
    for await (const { items } of collection.pages({ fieldSelector, limit })) events.push(...items);
  } catch {
    // If the events cannot be read, the description is shown without them.
  }
  return events;
}

/** Writes the table of events. */
function writeEvents(writer: DescriptionWriter, events: readonly Event[], now: number): void {
  if (events.length === 0) {
    writer.line(0, 'Events:\t<none>');
    return;
  }
  const inOrder = [...events].sort((a, b) => timeOf(a) - timeOf(b));
  writer.line(0, 'Events:');
  writer.table(
    1,
    ['Type', 'Reason', 'Age', 'From', 'Message'],
    inOrder.map((event) => [
      event.type ?? '',
      event.reason ?? '',
      ageOf(event, now),
      event.source?.component || event.reportingComponent || '',
      (event.message ?? '').trim(),
    ]),
    ['----', '------', '----', '----', '-------'],
  );
}

function timeOf({ lastTimestamp }: Event): number {
  return lastTimestamp ? Date.parse(lastTimestamp) : Number.MIN_SAFE_INTEGER;
}

function ageOf({ series, count = 0, eventTime, firstTimestamp, lastTimestamp }: Event, now: number): string {
  const over = (last: string | null | undefined, times: number, first: string | null | undefined) =>
    `${ageText(last, now)} (x${times} over ${ageText(first, now)})`;
  if (series) return over(series.lastObservedTime, series.count ?? 0, eventTime);
  if (count > 1) return over(lastTimestamp, count, firstTimestamp);
  return ageText(eventTime || firstTimestamp, now);
}
