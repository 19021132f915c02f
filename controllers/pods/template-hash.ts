import { createHash } from 'node:crypto';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';

/** Letters and digits for the suffixes of names. They cannot form words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LENGTH = 10;

/** The label that distinguishes the pods of one template from those of another, on pods and on their replica sets. */
export const TEMPLATE_HASH = 'pod-template-hash';
/** The label with the revision of its set that a pod has. */
export const REVISION_HASH = 'controller-revision-hash';

/**
 * A short text that identifies a JSON value. Equal values have the same text, even if their members are in another
 * order. A different count of collisions gives a different text.
 *
 * @example hashOf({ a: 1, b: 2 }) === hashOf({ b: 2, a: 1 }) // true
 */
export function hashOf(value: unknown, collisions = 0): string {
  const digest = createHash('sha256')
    .update(`${collisions}:${ordered(value)}`)
    .digest();
  return Array.from(digest.subarray(0, LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** The JSON text of a value with members in the order of their names. Undefined members are left out. */
function ordered(value: unknown): string {
  return JSON.stringify(sortedMembers(value));
}

/** A JSON value with the members of all its objects in the order of their names. */
export function sortedMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortedMembers);
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((name) => [name, sortedMembers(fields[name])]),
  );
}

/** A template without the label that its pods get. */
export function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { [TEMPLATE_HASH]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}
