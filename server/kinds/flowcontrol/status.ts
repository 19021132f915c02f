import { askedBefore } from '#base/collections/asked-before.ts';
import { duplicate, type FieldError, FieldPath, required } from '#base/errors/field-error.ts';

/** The status of flow schemas and priority levels. */
export interface FlowStatus {
  readonly conditions?: readonly { readonly type?: string }[];
}

/** Validates the conditions of flow schemas and priority levels. There is one of each type. */
export function validateFlowStatus(status: FlowStatus | undefined): FieldError[] {
  const conditions = status?.conditions ?? [];
  const path = new FieldPath('status').child('conditions');
  const again = askedBefore<string>();
  return conditions.flatMap(({ type = '' }, i) => {
    const at = path.index(i).child('type');
    return [...(again(type) ? [duplicate(at, type)] : []), ...(type === '' ? [required(at)] : [])];
  });
}
