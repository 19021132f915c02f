import type { Event as CoreEvent } from '../../generated/core.v1.ts';
import type { Event } from '../../generated/events.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';

/** The members of `object` that are set. */
function given<T extends object>(object: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

/** An event of the events group in the form of the core group. Events are stored in this form. */
export function toCoreEvent(object: ApiObject): ApiObject {
  const event = object as Event;
  return given<CoreEvent>({
    metadata: event.metadata,
    involvedObject: event.regarding ?? {},
    reason: event.reason,
    message: event.note,
    source: event.deprecatedSource,
    firstTimestamp: event.deprecatedFirstTimestamp,
    lastTimestamp: event.deprecatedLastTimestamp,
    count: event.deprecatedCount,
    type: event.type,
    eventTime: event.eventTime,
    series: event.series,
    action: event.action,
    related: event.related,
    reportingComponent: event.reportingController ?? '',
    reportingInstance: event.reportingInstance ?? '',
  } as CoreEvent);
}

/** A stored event in the form of the events group. */
export function fromCoreEvent(object: ApiObject): ApiObject {
  const event = object as CoreEvent;
  return given<Event>({
    metadata: event.metadata,
    eventTime: event.eventTime ?? null,
    series: event.series && { count: event.series.count ?? 0, lastObservedTime: event.series.lastObservedTime ?? null },
    reportingController: event.reportingComponent,
    reportingInstance: event.reportingInstance,
    action: event.action,
    reason: event.reason,
    regarding: event.involvedObject,
    related: event.related,
    note: event.message,
    type: event.type,
    deprecatedSource: event.source,
    deprecatedFirstTimestamp: event.firstTimestamp,
    deprecatedLastTimestamp: event.lastTimestamp,
    deprecatedCount: event.count,
  } as Event);
}
