import type { FieldBounds } from '../descriptors/field-bounds.ts';
import type { TextFormat } from '../descriptors/text-format.ts';
import type { FieldType } from '../descriptors/types.ts';

/** What a text of each form looks like, as a sentence. */
export const FORMS: Readonly<Record<TextFormat, string>> = {
  'config-key':
    'Letters, digits, dashes, underscores and dots, at most 253; not . or .. and not beginning with two dots.',
  'dns-1035-label':
    'At most 63 lower case letters, digits and dashes, of which the first is a letter and the last is no dash.',
  'dns-label': 'At most 63 lower case letters, digits and dashes, of which the first and the last are no dash.',
  'dns-subdomain': 'A DNS name in lower case, such as example.com, of at most 253 characters.',
  'driver-name': 'A DNS name, such as disk.example.com, of at most 63 characters.',
  'environment-variable': 'Letters, digits, underscores, dashes and dots, of which the first is no digit.',
  ip: 'An IPv4 or IPv6 address.',
  'label-value': 'Empty, or at most 63 letters, digits, dashes, underscores and dots, without a sign at either end.',
  'path-segment': 'Without a slash and a percent sign, and not . or ..',
  percent: 'A number, or a percentage such as 25%.',
  'port-name': 'A name is at most 15 lower case letters, digits and single dashes, with a letter among them.',
  'qualified-name':
    'At most 63 letters, digits, dashes, underscores and dots, without a sign at either end; a DNS name and a slash may ' +
    'stand before it.',
};

/**
 * What a descriptor knows of a field, each as a sentence for people: its default, its values, what the server refuses
 * beyond, and how clients share the items of a list. `protocol` of a container's port gives `Defaults to TCP.` and
 * `One of: SCTP, TCP, UDP.`
 */
export function factsOf(
  field: Pick<FieldType, 'default' | 'defaultsTo' | 'enum' | 'repeated' | 'listType' | 'listMapKeys'> &
    Partial<Pick<FieldType, 'bounds' | 'required'>>,
): string[] {
  const facts: string[] = [];
  const value = field.default ?? field.defaultsTo;
  if (isTelling(value)) facts.push(`Defaults to ${typeof value === 'string' ? value : JSON.stringify(value)}.`);
  if (field.enum !== undefined && field.enum.length > 0) {
    const values = field.enum.map((one) => (one === '' ? '""' : one)).join(', ');
    facts.push(field.repeated ? `Each item is one of: ${values}.` : `One of: ${values}.`);
  }
  if (field.bounds !== undefined) facts.push(...sentencesOf(field.bounds, field.required === true));
  if (field.listType === 'set') facts.push('No item occurs twice.');
  if (field.listType === 'map' && field.listMapKeys !== undefined) {
    facts.push(`No two items have the same ${field.listMapKeys.join(' and ')}.`);
  }
  return facts;
}

/** Documents say in another place that a field is required. */
function sentencesOf(bounds: FieldBounds, required: boolean): string[] {
  const { minimum, maximum, maxPercent, maxItems, textFormat, needed, immutable } = bounds;
  const range = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(maxPercent === undefined ? [] : [`at most ${maxPercent}%`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
  ].join(', ');
  return [
    // the words of a field say of what it is a percentage
    ...(textFormat === undefined || textFormat === 'percent' ? [] : [FORMS[textFormat]]),
    ...(range === '' ? [] : [`${range[0]!.toUpperCase()}${range.slice(1)}.`]),
    ...(needed === true && !required ? ['It must be set.'] : []),
    ...(immutable === true ? ['It cannot be changed after creation.'] : []),
  ];
}

/** Zeros and empty values are what readers expect of a field that is unset. */
function isTelling(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
