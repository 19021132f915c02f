import { duplicate, type FieldError, FieldPath, required } from '#base/errors/field-error.ts';

/** The status of flow schemas and priority levels. */
export interface FlowStatus {
  readonly conditions?: readonly { readonly type?: string }[];
}

/** Conditions of flow schemas and priority levels: one of each type. */
export function validateFlowStatus(status: FlowStatus | undefined): FieldError[] {
  const conditions = status?.conditions ?? [];
  const path = new FieldPath('status').child('conditions');
  return conditions.flatMap(({ type = '' }, i) => {
    const at = path.index(i).child('type');
    const again = conditions.findIndex((other) => (other.type ?? '') === type) < i;
    return [...(again ? [duplicate(at, type)] : []), ...(type === '' ? [required(at)] : [])];
  });
}
