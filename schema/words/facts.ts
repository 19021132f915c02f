import { append } from '#base/collections/append.ts';
import type { FieldBounds } from '../descriptors/field-bounds.ts';
import type { FieldOrigin } from '../descriptors/field-origin.ts';
import type { TextFormat } from '../descriptors/text-format.ts';
import type { FieldType, MessageType } from '../descriptors/types.ts';

/** For each form of a text, a sentence that describes it. */
export const FORMS: Readonly<Record<TextFormat, string>> = {
  cidr: 'A range of addresses, such as 10.0.0.0/8 or fd00::/8.',
  'config-key':
    'At most 253 letters, digits, dashes, underscores and dots. It cannot be . and cannot begin with two dots.',
  'cron-schedule': 'A schedule with five fields, such as */15 * * * *, or the name of a schedule, such as @daily.',
  'dns-1035-label':
    'At most 63 lower case letters, digits and dashes. The first must be a letter, and the last cannot be a dash.',
  'dns-label': 'At most 63 lower case letters, digits and dashes. The first and the last cannot be a dash.',
  'dns-subdomain': 'A DNS name in lower case, such as example.com, of at most 253 characters.',
  'domain-path': 'A DNS name, a slash and a path, such as example.com/disks.',
  'driver-name': 'A DNS name, such as disk.example.com, of at most 63 characters.',
  'environment-name': 'Printable ASCII characters except the equals sign.',
  'environment-variable': 'Letters, digits, underscores, dashes and dots. The first cannot be a digit.',
  'host-pattern': 'A DNS name in lower case, such as example.com. Its first part may be a star.',
  ip: 'An IPv4 or IPv6 address.',
  'label-value':
    'Empty, or at most 63 letters, digits, dashes, underscores and dots. The first and the last must be a letter or a digit.',
  'path-segment': 'It cannot contain a slash or a percent sign, and cannot be . or ..',
  percent: 'A number, or a percentage such as 25%.',
  'port-name': 'A name has at most 15 lower case letters, digits and single dashes, and at least one letter.',
  'qualified-name':
    'At most 63 letters, digits, dashes, underscores and dots. The first and the last must be a letter or a digit. A DNS ' +
    'name and a slash may precede them.',
  'signer-name': 'A DNS name with a dot, a slash and a path, such as example.com/devices.',
  'time-zone': 'A name of the time zone database, such as Europe/Rome. It cannot be Local.',
};

/** The part of a field that {@link factsOf} reads. */
type StatedField = Pick<FieldType, 'default' | 'defaultsTo' | 'enum' | 'repeated' | 'listType' | 'listMapKeys'> &
  Partial<Pick<FieldType, 'bounds' | 'required' | 'origin'>>;

/**
 * The facts about a field that its descriptor contains, each as a sentence for people. They are its default, its
 * values, the limits that the server enforces, how clients share the items of a list, its writer, and its releases. For
 * the field `protocol` of a container's port the sentences are `Defaults to TCP.` and `One of: SCTP, TCP, UDP.`
 *
 * @param views the subresources through which clients change the field, if they cannot change it through the object
 */
export function factsOf(field: StatedField, views: readonly string[] = []): string[] {
  const facts: string[] = [];
  const value = field.default ?? field.defaultsTo;
  if (isMeaningful(value)) facts.push(`Defaults to ${typeof value === 'string' ? value : JSON.stringify(value)}.`);
  if (field.enum !== undefined && field.enum.length > 0) {
    const values = field.enum.map((one) => (one === '' ? '""' : one)).join(', ');
    const lead =
      field.bounds?.enumUnchecked === true ? 'Usually one of' : field.repeated ? 'Each item is one of' : 'One of';
    facts.push(`${lead}: ${values}.`);
  }
  if (field.bounds !== undefined) append(facts, sentencesOf(field.bounds, field.required === true, field.repeated));
  append(facts, repetitionsOf(field));
  if (field.origin !== undefined) append(facts, writerOf(field.origin, views), datesOf(field.origin));
  return facts;
}

/**
 * The items that a list may contain only once. If the server checks this, it is so in every object, and otherwise in
 * applied configurations.
 */
function repetitionsOf({ bounds, listType, listMapKeys = [] }: StatedField): string[] {
  const isUnique = bounds?.unique === true;
  if (listType === 'map') {
    const keys = listMapKeys.join(' and ');
    return [isUnique ? `No two items have the same ${keys}.` : `An apply refuses two items with the same ${keys}.`];
  }
  if (isUnique) return ['No item occurs twice.'];
  return listType === 'set' ? ['An apply refuses an item that occurs twice.'] : [];
}

/** Sentences about the releases that have a kind. */
export function factsOfKind({ since, versionSince, resource }: MessageType): string[] {
  if (resource === undefined) return datesOf({ ...(since !== undefined && { since }) });
  const { removedRelease } = resource;
  return [
    ...datesOf({ ...(since !== undefined && { since }) }),
    ...(versionSince === undefined || since !== undefined
      ? []
      : [`Releases since ${versionSince} serve this version.`]),
    ...(removedRelease === undefined ? [] : [`Release ${removedRelease} no longer serves this version.`]),
  ];
}

function writerOf({ writer, setOnCreate }: FieldOrigin, views: readonly string[]): string[] {
  if (writer === undefined) return [];
  if (writer === 'server') return ['Only the server sets it.'];
  if (views.length === 0) return [`Written by ${writer}.`];
  const through = `only through the subresource ${views.join(' or ')}`;
  return setOnCreate === true
    ? [`Written by ${writer}. A create may set it; clients change it later ${through}.`]
    : [`Written by ${writer}. Clients change it ${through}.`];
}

/** The subresources through which clients change a status; empty for a field that the object itself changes. */
export function viewsOf({ resource }: MessageType, field: string): readonly string[] {
  if (field !== 'status' || resource === undefined) return [];
  const names = resource.subresources.map(({ name }) => name);
  return names.includes('status') ? names.filter((name) => STATUS_VIEWS.includes(name)) : [];
}

const STATUS_VIEWS = ['approval', 'status'];

function datesOf({ since, until }: FieldOrigin): string[] {
  return [
    ...(since === undefined ? [] : [`Since release ${since}.`]),
    ...(until === undefined ? [] : [`Release ${until} no longer has it.`]),
  ];
}

/** Sentences about the limits of a field. Another place of the documents says that a field is required. */
function sentencesOf(bounds: FieldBounds, required: boolean, isList: boolean): string[] {
  const { minimum, maximum, maxPercent, maxItems, maxLength, textFormat, needed, immutable, immutableUntil } = bounds;
  const kept = immutableUntil === undefined ? 'It' : `Before release ${immutableUntil} it`;
  const range = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(maxPercent === undefined ? [] : [`at most ${maxPercent}%`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} bytes`]),
  ].join(', ');
  return [
    // The description of a percentage field says what the percentage refers to.
    ...(textFormat === undefined || textFormat === 'percent'
      ? []
      : [`${isList ? 'Each item: ' : ''}${FORMS[textFormat]}`]),
    ...(range === '' ? [] : [`${range[0]!.toUpperCase()}${range.slice(1)}.`]),
    ...(needed === true && !required ? ['It must be set.'] : []),
    ...(immutable === true ? [`${kept} cannot be changed after creation.`] : []),
  ];
}

/** Whether a sentence about a default is useful. A reader expects zero or an empty value of an unset field anyway. */
function isMeaningful(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
