import type { FieldType } from '../descriptors/types.ts';

/**
 * What a descriptor knows of a field, each as a sentence for people: its default, its values, and how clients share the
 * items of a list. `protocol` of a container's port gives `Defaults to TCP.` and `One of: SCTP, TCP, UDP.`
 */
export function factsOf(
  field: Pick<FieldType, 'default' | 'defaultsTo' | 'enum' | 'repeated' | 'listType' | 'listMapKeys'>,
): string[] {
  const facts: string[] = [];
  const value = field.default ?? field.defaultsTo;
  if (isTelling(value)) facts.push(`Defaults to ${typeof value === 'string' ? value : JSON.stringify(value)}.`);
  if (field.enum !== undefined && field.enum.length > 0) {
    const values = field.enum.map((one) => (one === '' ? '""' : one)).join(', ');
    facts.push(field.repeated ? `Each item is one of: ${values}.` : `One of: ${values}.`);
  }
  if (field.listType === 'set') facts.push('No item occurs twice.');
  if (field.listType === 'map' && field.listMapKeys !== undefined) {
    facts.push(`No two items have the same ${field.listMapKeys.join(' and ')}.`);
  }
  return facts;
}

/** Zeros and empty values are what readers expect of a field that is unset. */
function isTelling(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
