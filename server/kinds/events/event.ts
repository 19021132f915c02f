import { eventVersions } from '#schema/conversion/events/event.ts';
import type { Event, ObjectReference } from '#schema/generated/core.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { pathSegmentName } from '#schema/validation/names.ts';
import type { Cell, KindRules } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { validateEvent, validateEventUpdate } from './validate-event.ts';

const REFERENCE_FIELDS = [
  'kind',
  'namespace',
  'name',
  'uid',
  'apiVersion',
  'resourceVersion',
  'fieldPath',
] as const satisfies readonly (keyof ObjectReference)[];

function cells(event: Event, { now }: { now: number }): Cell[] {
  const { series, involvedObject: object, source } = event;
  const first = age(event.firstTimestamp ?? event.eventTime, now);
  const last = series !== undefined ? age(series.lastObservedTime, now) : age(event.lastTimestamp, now);
  const kind = (object.kind ?? '').toLowerCase();
  const host = source?.host || event.reportingInstance;
  const component = source?.component || event.reportingComponent;
  return [
    series === undefined && (event.lastTimestamp ?? null) === null ? first : last,
    event.type ?? '',
    event.reason ?? '',
    (object.name ?? '') === '' ? kind : `${kind}/${object.name}`,
    object.fieldPath ?? '',
    host === '' ? component : `${component}, ${host}`,
    (event.message ?? '').trim(),
    first,
    series === undefined ? event.count || 1 : (series.count ?? 0),
    event.metadata.name ?? '',
  ];
}

/**
 * The kind of events, which say what happened to an object. Two groups show the same events. They expire after
 * `ttlSeconds`.
 */
export function eventRules(ttlSeconds: number): KindRules<Event> {
  return defineKind('core/events', {
    invalidGroup: '',
    versions: eventVersions,
    validateName: pathSegmentName,
    validatesOwnMetadata: true,
    ignoresMetadataChange: true,
    validate: validateEvent,
    validateUpdate: validateEventUpdate,
    ttlSeconds: () => ttlSeconds,
    ignoresPropagation: true,
    selectableFields: {
      source: ({ source, reportingComponent }) => source?.component || reportingComponent,
      reportingController: ({ reportingComponent }) => reportingComponent,
      ...Object.fromEntries(
        REFERENCE_FIELDS.map((field) => [`regarding.${field}`, (event: Event) => event.involvedObject[field] ?? '']),
      ),
    },
    cells,
  });
}
