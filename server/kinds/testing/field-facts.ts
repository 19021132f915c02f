import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { TextFormat } from '#schema/descriptors/text-format.ts';
import type { FieldType, JsonForm } from '#schema/descriptors/types.ts';

/**
 * A documented rule about a field, with a value that the server accepts and a value just beyond the rule that it
 * refuses.
 */
export interface Fact {
  readonly says: string;
  readonly taken: JsonValue;
  /** The refused value. Undefined means that the field is not set. */
  readonly refused: JsonValue | undefined;
  /** Whether the server's error is about the whole list, because errors about its items have other reasons. */
  readonly isWhole?: true;
}

/** For each form, a text that has it and one that does not. */
const TEXTS: Readonly<Record<TextFormat, readonly [taken: string, refused: string]>> = {
  cidr: ['10.0.0.0/8', '10.0.0.0/33'],
  'config-key': ['a.B_c', 'a b'],
  'cron-schedule': ['@hourly', '61 * * * *'],
  'dns-1035-label': ['a-b', '1-b'],
  'dns-label': ['a'.repeat(63), 'a'.repeat(64)],
  'dns-subdomain': ['a.b.c-d', 'a..b'],
  'domain-path': ['example.com/a', 'a'],
  'driver-name': ['a.b-c', 'a_b'],
  'environment-name': ['1 A', 'A=B'],
  'environment-variable': ['A_B', ' '],
  'host-pattern': ['*.example.com', '*'],
  ip: ['10.1.2.3', '10.1.2.256'],
  'label-value': ['a_B', 'a b'],
  'path-segment': ['a:b', 'a/b'],
  percent: ['50%', '50'],
  'port-name': ['http', 'http--x'],
  'qualified-name': ['example.com/A_b', 'example.com/a/b'],
  'signer-name': ['example.com/a', 'example/a'],
  'time-zone': ['Etc/UTC', 'Local'],
};

/** The facts about a field that the server enforces when an object is created. */
export function factsOfField(field: FieldType, sample: JsonValue | undefined): Fact[] {
  const { bounds = {}, pointer } = field;
  const { minimum, maximum, maxPercent, maxItems, maxLength, textFormat, needed, unique } = bounds;
  const listed = (value: string): JsonValue => (field.repeated ? [value] : value);
  const facts: Fact[] = [];
  if (minimum !== undefined) {
    // Zero counts as unset in a field that cannot be absent.
    const below = minimum === 1 && !pointer ? -1 : minimum - 1;
    facts.push({ says: `at least ${minimum}`, taken: minimum, refused: below });
  }
  // Int32 itself refuses larger values.
  if (maximum !== undefined && (maximum < 2147483647 || field.scalar === 'int64'))
    facts.push({ says: `at most ${maximum}`, taken: maximum, refused: maximum + 1 });
  if (maxPercent !== undefined)
    facts.push({ says: `at most ${maxPercent}%`, taken: `${maxPercent}%`, refused: `${maxPercent + 1}%` });
  if (maxItems !== undefined) {
    const items = (count: number) => Array.from({ length: count }, (_, i) => item(field, sample, i));
    facts.push({
      says: `at most ${maxItems} items`,
      taken: items(maxItems),
      refused: items(maxItems + 1),
      isWhole: true,
    });
  }
  if (textFormat !== undefined) {
    const [taken, refused] = TEXTS[textFormat];
    facts.push({ says: `a text of the form ${textFormat}`, taken: listed(taken), refused: listed(refused) });
  }
  if (maxLength !== undefined) {
    const start = typeof sample === 'string' ? sample : textFormat === undefined ? '' : TEXTS[textFormat][0];
    const [taken, refused] = [longer(start, maxLength), longer(start, maxLength + 1)];
    facts.push({ says: `at most ${maxLength} bytes`, taken, refused });
  }
  if (unique === true) {
    const [one] = something(field, sample) as JsonValue[];
    facts.push({ says: 'no item twice', taken: [one!], refused: [one!, one!] });
  }
  if (needed === true) facts.push({ says: 'needed', taken: something(field, sample), refused: undefined });
  if (field.enum !== undefined && !field.map && bounds.enumUnchecked !== true)
    for (const value of field.enum)
      facts.push({
        says: `may be ${value}`,
        taken: listed(value),
        refused: listed('Nonsense'),
      });
  return facts;
}

/** A text of `length` bytes with the same beginning as another one. Expressions stay complete. */
function longer(text: string, length: number): string {
  if (text.endsWith("'")) return `${text.slice(0, -1).padEnd(length - 1, 'a')}'`;
  return text.padEnd(length, text === 'true' ? ' ' : 'a');
}

function item(field: FieldType, sample: JsonValue | undefined, i: number): JsonValue {
  const [first] = Array.isArray(sample) ? sample : [];
  const [key] = field.listMapKeys ?? [];
  if (first !== undefined) return key === undefined ? first : { ...(first as JsonObject), [key]: `a${i}` };
  if (field.bounds?.textFormat === 'ip') return `10.0.0.${i}`;
  return field.scalar === undefined ? {} : field.scalar === 'string' ? `a${i}` : i + 1;
}

/** Sample values of messages that are not objects in JSON. */
const SINGLE: Partial<Record<JsonForm, JsonValue>> = {
  time: '2020-01-01T00:00:00Z',
  'micro-time': '2020-01-01T00:00:00.000000Z',
  quantity: '1',
  'int-or-string': 1,
};

function something(field: FieldType, sample: JsonValue | undefined): JsonValue {
  if (sample != null) return sample;
  const { textFormat } = field.bounds ?? {};
  const text = textFormat === undefined ? 'a' : TEXTS[textFormat][0];
  const single = field.message === undefined ? 1 : (SINGLE[field.message.jsonForm] ?? {});
  const value = field.enum?.[0] ?? (field.scalar === 'string' ? text : single);
  if (field.repeated) return [value];
  return field.map ? { a: value } : value;
}
