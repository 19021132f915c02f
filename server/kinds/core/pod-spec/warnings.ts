import type { FieldPath } from '../../../errors/field-error.ts';
import type { PodTemplateSpec } from '../../../schema/generated/core.v1.ts';
import type { PodSpecContext } from './context.ts';

/** Warnings about a pod or template at `path`; `old` is the stored one. */
export function podWarnings(
  _pod: PodTemplateSpec,
  _path: FieldPath,
  _old: PodTemplateSpec | undefined,
  _context: PodSpecContext,
): string[] {
  return [];
}
