import { duplicate, type FieldError, FieldPath, required } from '../../errors/field-error.ts';

/** Conditions of flow schemas and priority levels: one of each type. */
export function validateFlowStatus(
  status: { readonly conditions?: readonly { readonly type?: string }[] } | undefined,
): FieldError[] {
  const conditions = status?.conditions ?? [];
  const path = new FieldPath('status').child('conditions');
  return conditions.flatMap(({ type = '' }, i) => {
    const at = path.index(i).child('type');
    const again = conditions.findIndex((other) => (other.type ?? '') === type) < i;
    return [...(again ? [duplicate(at, type)] : []), ...(type === '' ? [required(at)] : [])];
  });
}
