import { append } from '#base/collections/append.ts';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '#base/errors/field-error.ts';
import { defaultRelease } from '#base/release/release.ts';
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
const SET = 'must be set';
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

/**
 * Validates conditions in the common form. There may be one condition of each type. Kinds with their own condition type
 * have fewer rules.
 *
 * @example
 * const condition = { type: 'Ready', status: 'Maybe', reason: 'A', lastTransitionTime: '2026-01-01T00:00:00Z' };
 * validateConditions([condition], new FieldPath('status').child('conditions')) // one error about the status
 */
export function validateConditions(
  conditions: readonly Condition[] | null | undefined,
  path: FieldPath,
  release = defaultRelease,
): FieldError[] {
  const isLater = release.atLeast(37);
  const seen = new Set<string>();
  return (conditions ?? []).flatMap((condition, i) => {
    const type = condition.type ?? '';
    const repeated = seen.has(type);
    seen.add(type);
    const at = path.index(i);
    return [
      ...(repeated ? [duplicate(isLater ? at : at.child('type'), type)] : []),
      ...validateCondition(condition, at, isLater),
    ];
  });
}

/** @param isLater whether the rules since 1.37 are used; their errors for missing values are shorter */
function validateCondition(condition: Condition, path: FieldPath, isLater: boolean): FieldError[] {
  const { type, status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  const missing = (name: string): FieldError =>
    isLater ? required(path.child(name)) : required(path.child(name), SET);
  const noType = isLater && (type ?? '') === '';
  const errors = noType ? [required(path.child('type'), 'is required')] : validateLabelKey(type, path.child('type'));
  if (isLater && status === '') errors.push(missing('status'));
  else if (!(STATUSES as readonly string[]).includes(status)) {
    errors.push(notSupported(path.child('status'), status, STATUSES));
  }
  if (observedGeneration < 0) {
    const detail = 'must be greater than or equal to zero';
    errors.push(invalidValue(path.child('observedGeneration'), observedGeneration, detail));
  }
  if (!lastTransitionTime) errors.push(missing('lastTransitionTime'));
  if (reason === '') {
    errors.push(missing('reason'));
  } else {
    append(
      errors,
      conditionReason(reason).map((problem) => invalidValue(path.child('reason'), reason, problem)),
    );
    if (Buffer.byteLength(reason) > MAX_REASON) errors.push(tooLong(path.child('reason'), reason, MAX_REASON));
  }
  if (Buffer.byteLength(message) > MAX_MESSAGE) errors.push(tooLong(path.child('message'), message, MAX_MESSAGE));
  return errors;
}
