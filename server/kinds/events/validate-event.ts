import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { Event } from '#schema/generated/core.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { validateImmutable } from '#schema/validation/immutable.ts';
import { validateKindMetadata, validateKindMetadataUpdate } from '#schema/validation/kind-metadata.ts';
import { qualifiedName } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';
import type { WriteContext } from '../../api/resource-definition.ts';

const MAX_WORD = bounds['events.v1.Event'].reason.maxLength;
const MAX_MESSAGE = bounds['events.v1.Event'].note.maxLength;
const TYPES = ['Normal', 'Warning'];

const path = (...names: string[]) => new FieldPath().child(...names);

/** Whether the rules of the group of events apply. Requests through the core group have few rules. */
function isStrict({ group }: Pick<WriteContext, 'group'>): boolean {
  return group === 'events';
}

function validateWord(event: Event, field: 'reportingInstance' | 'action' | 'reason'): FieldError[] {
  const value = event[field] ?? '';
  if (value === '') return [required(field)];
  return Buffer.byteLength(value) > MAX_WORD
    ? [invalidValue(field, '', `can have at most ${MAX_WORD} characters`)]
    : [];
}

/**
 * Whether the event is in the namespace of its object. For a cluster-wide object, it must be in one of `clusterWide`.
 */
function namespaceFits(event: Event, clusterWide: readonly string[], sameOnly: boolean): boolean {
  const { namespace = '' } = event.involvedObject;
  const own = event.metadata.namespace ?? '';
  if (namespace === '') return clusterWide.includes(own);
  return !sameOnly || namespace === own;
}

/** The errors by the rules for both groups. An event with an event time (micro time) has the newer form. */
function validateBasics(event: Event, context: WriteContext): FieldError[] {
  const timed = (event.eventTime ?? null) !== null;
  const clusterWide = timed ? ['default', context.naming.prefixed('system')] : ['default'];
  const errors: FieldError[] = [];
  if (!namespaceFits(event, clusterWide, !timed)) {
    const { namespace = '' } = event.involvedObject;
    errors.push(invalidValue('involvedObject.namespace', namespace, 'does not match event.namespace'));
  }
  if (!timed) return errors;
  const reporter = path(isStrict(context) ? 'reportingController' : 'reportingComponent');
  if (event.reportingComponent === '') errors.push(required(reporter));
  append(
    errors,
    validateText(event.reportingComponent, qualifiedName, reporter),
    validateWord(event, 'reportingInstance'),
    validateWord(event, 'action'),
    validateWord(event, 'reason'),
  );
  if (Buffer.byteLength(event.message ?? '') > MAX_MESSAGE) {
    errors.push(invalidValue('message', '', `can have at most ${MAX_MESSAGE} characters`));
  }
  return errors;
}

function validateSeries({ series }: Event): FieldError[] {
  if (series === undefined) return [];
  const errors: FieldError[] = [];
  if ((series.count ?? 0) < 2) errors.push(invalidValue('series.count', '', 'should be at least 2'));
  if ((series.lastObservedTime ?? null) === null) errors.push(required('series.lastObservedTime'));
  return errors;
}

/** The errors about fields that only older clients write. Errors name these fields like the core group. */
function validateUnset(event: Event): FieldError[] {
  const { firstTimestamp, lastTimestamp, count = 0, source } = event;
  const set = {
    firstTimestamp: (firstTimestamp ?? null) !== null,
    lastTimestamp: (lastTimestamp ?? null) !== null,
    count: count !== 0,
    source: (source?.component ?? '') !== '' || (source?.host ?? '') !== '',
  };
  return Object.entries(set).flatMap(([field, given]) => (given ? [invalidValue(field, '', 'needs to be unset')] : []));
}

/** The errors of a new event. */
export function validateEvent(event: Event, context: WriteContext): FieldError[] {
  const errors = validateBasics(event, context);
  if (!isStrict(context)) return errors;
  append(errors, validateKindMetadata(event, { namespaced: true }, context.naming), validateSeries(event));
  if ((event.eventTime ?? null) === null) errors.push(required('eventTime'));
  const { type = '' } = event;
  if (!TYPES.includes(type)) errors.push(invalidValue('type', '', `has invalid value: ${type}`));
  return [...errors, ...validateUnset(event)];
}

const IMMUTABLE_FIELDS = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
] as const;

/** The errors of a changed event. Through the group of events only the series may change. */
export function validateEventUpdate(event: Event, old: Event, context: WriteContext): FieldError[] {
  const errors = validateBasics(event, context);
  if (!isStrict(context)) return errors;
  append(errors, validateKindMetadataUpdate(event, old, context.naming));
  const seriesErrors = validateSeries(event);
  if (JSON.stringify(event.series) !== JSON.stringify(old.series)) append(errors, seriesErrors);
  const changed = (field: (typeof IMMUTABLE_FIELDS)[number], shownAs: string) =>
    validateImmutable(event[field], old[field], path(shownAs));
  return [
    ...errors,
    ...IMMUTABLE_FIELDS.flatMap((field) => changed(field, field)),
    ...validateImmutable(event.reportingComponent, old.reportingComponent, path('reportingController')),
    ...validateImmutable(event.reportingInstance, old.reportingInstance, path('reportingInstance')),
  ];
}
