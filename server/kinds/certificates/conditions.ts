import { append } from '#base/collections/append.ts';
import {
  duplicate,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition as Condition,
} from '#schema/generated/certificates.v1.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';

const CONDITIONS = new FieldPath('status').child('conditions');
const APPROVAL = ['Approved', 'Denied'];
const FINAL = [...APPROVAL, 'Failed'];

function conditionsOf({ status }: CertificateSigningRequest, type: string): Condition[] {
  return (status?.conditions ?? []).filter((condition) => condition.type === type);
}

function validateStatus({ type, status }: Condition, path: FieldPath): FieldError[] {
  if (status === '') return [required(path)];
  const supported = FINAL.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
  return supported.includes(status) ? [] : [notSupported(path, status, supported)];
}

/** Validates the conditions of a request. There is one of each type, and it cannot be both approved and denied. */
export function validateConditions({ status }: CertificateSigningRequest): FieldError[] {
  const seen = new Set<string>();
  return (status?.conditions ?? []).flatMap((condition, i) => {
    const { type } = condition;
    const path = CONDITIONS.index(i);
    const errors = type === '' ? [required(path.child('type'))] : [];
    append(errors, validateStatus(condition, path.child('status')));
    const opposite = APPROVAL.includes(type) && seen.has(type === 'Approved' ? 'Denied' : 'Approved');
    if (opposite) {
      const detail = 'Approved and Denied conditions are mutually exclusive';
      // Only a denial after an approval is named by its position.
      errors.push(invalidValue(type === 'Approved' ? CONDITIONS : path.child('type'), type, detail));
    }
    if (seen.has(type)) errors.push(duplicate(path.child('type'), type));
    seen.add(type);
    return errors;
  });
}

/** Validates a change of conditions. A decision is final, and only the approval view can make one. */
export function validateConditionsUpdate(
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
  mayApprove: boolean,
): FieldError[] {
  const forbid = (verb: string, type: string) =>
    forbiddenField(CONDITIONS, `updates may not ${verb} a condition of type ${JSON.stringify(type)}`);
  const counts = (type: string) => [conditionsOf(object, type).length, conditionsOf(old, type).length] as const;
  const removed = FINAL.flatMap((type) => {
    const [now, before] = counts(type);
    return now < before ? [forbid('remove', type)] : [];
  });
  if (mayApprove) return removed;
  const changed = APPROVAL.flatMap((type) => {
    const [now, before] = counts(type);
    if (now > before) return [forbid('add', type)];
    const same = semanticallyEqual(conditionsOf(object, type), conditionsOf(old, type));
    return now < before || same ? [] : [forbid('modify', type)];
  });
  return [...removed, ...changed];
}

/** Sets the times of conditions: the last update, and the last change of the status. */
export function stampConditions(object: CertificateSigningRequest, old: CertificateSigningRequest, now: string): void {
  const place = ({ type, status }: Condition) => JSON.stringify([type, status]);
  const times = new Map<string, string>();
  for (const condition of old.status?.conditions ?? []) {
    const { lastTransitionTime: time } = condition;
    if (time != null && !times.has(place(condition))) times.set(place(condition), time);
  }
  for (const condition of object.status?.conditions ?? []) {
    condition.lastUpdateTime ??= now;
    condition.lastTransitionTime ??= times.get(place(condition)) ?? now;
  }
}

/** Copies the decision of the old object if the new object also has one, so that other views cannot change its text. */
export function keepDecision(object: CertificateSigningRequest, old: CertificateSigningRequest): void {
  for (const type of APPROVAL) {
    const kept = conditionsOf(old, type);
    const list = object.status?.conditions;
    if (list === undefined || conditionsOf(object, type).length !== kept.length) continue;
    let next = 0;
    for (let i = 0; i < list.length; i++) if (list[i]!.type === type) list[i] = cloneJson(kept[next++]!);
  }
}
