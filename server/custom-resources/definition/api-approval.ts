import { type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { CustomResourceDefinition } from '#schema/generated/apiextensions.v1.ts';

/** Whether a definition in a group of the product is approved, and the text for its condition. */
export interface Approval {
  readonly state: 'invalid' | 'missing' | 'approved' | 'bypassed';
  readonly reason: string;
}

/** Groups under the product's own domains. */
function isProtected(group: string, { domains }: Naming): boolean {
  return domains.some((domain) => group === domain || group.endsWith(`.${domain}`));
}

function isUrl(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#\s]+/.test(text) && URL.canParse(text);
}

/** The approval of a definition; undefined for groups that need none. */
export function approvalOf({ metadata, spec }: CustomResourceDefinition, naming: Naming): Approval | undefined {
  if (!isProtected(spec.group, naming)) return undefined;
  const key = naming.domain('api-approved');
  const value = metadata.annotations?.[key] ?? '';
  const needed = `protected groups must have approval annotation ${JSON.stringify(key)}`;
  if (value === '') return { state: 'missing', reason: needed };
  if (value.startsWith('unapproved')) return { state: 'bypassed', reason: `not approved: ${JSON.stringify(value)}` };
  if (isUrl(value)) return { state: 'approved', reason: `approved in ${value}` };
  return { state: 'invalid', reason: `${needed} with either a URL or a reason starting with "unapproved"` };
}

/**
 * Errors about the approval. A definition in a protected group needs an approval. An existing definition without one
 * may stay without it.
 */
export function validateApproval(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  naming: Naming,
): FieldError[] {
  const approval = approvalOf(definition, naming);
  if (approval === undefined || (old !== undefined && approvalOf(old, naming)?.state === approval.state)) return [];
  const key = naming.domain('api-approved');
  const path = new FieldPath('metadata').child('annotations').key(key);
  if (approval.state === 'missing') return [required(path, approval.reason)];
  if (approval.state !== 'invalid') return [];
  return [invalidValue(path, definition.metadata.annotations?.[key] ?? '', approval.reason)];
}
