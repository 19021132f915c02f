import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '#base/errors/field-error.ts';
import { validateLabelKey } from './labels.ts';
import { patternMessage, textCheck } from './names.ts';

/** A condition in the common form. */
export interface Condition {
  type?: string;
  status?: string;
  observedGeneration?: number;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
}

const STATUSES = ['False', 'True', 'Unknown'] as const;
const MAX_REASON = 1024;
const MAX_MESSAGE = 32 * 1024;
const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';

const conditionReason = textCheck(
  REASON,
  patternMessage(
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
    REASON,
    'my_name',
    'MY_NAME',
    'MyName',
    'ReasonA,ReasonB',
    'ReasonA:ReasonB',
  ),
);

/** Conditions in the common form, one of each type. (Kinds with a condition type of their own are freer.) */
export function validateConditions(conditions: readonly Condition[] | null | undefined, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return (conditions ?? []).flatMap((condition, i) => {
    const type = condition.type ?? '';
    const repeated = seen.has(type);
    seen.add(type);
    return [
      ...(repeated ? [duplicate(path.index(i).child('type'), type)] : []),
      ...validateCondition(condition, path.index(i)),
    ];
  });
}

function validateCondition(condition: Condition, path: FieldPath): FieldError[] {
  const { type, status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  const errors = validateLabelKey(type, path.child('type'));
  if (!(STATUSES as readonly string[]).includes(status)) {
    errors.push(notSupported(path.child('status'), status, STATUSES));
  }
  if (observedGeneration < 0) {
    const detail = 'must be greater than or equal to zero';
    errors.push(invalidValue(path.child('observedGeneration'), observedGeneration, detail));
  }
  if (!lastTransitionTime) errors.push(required(path.child('lastTransitionTime'), 'must be set'));
  if (reason === '') {
    errors.push(required(path.child('reason'), 'must be set'));
  } else {
    errors.push(...conditionReason(reason).map((problem) => invalidValue(path.child('reason'), reason, problem)));
    if (Buffer.byteLength(reason) > MAX_REASON) errors.push(tooLong(path.child('reason'), reason, MAX_REASON));
  }
  if (Buffer.byteLength(message) > MAX_MESSAGE) errors.push(tooLong(path.child('message'), message, MAX_MESSAGE));
  return errors;
}
