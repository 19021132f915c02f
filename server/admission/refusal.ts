import { forbidden, type StatusError } from '#base/errors/status-error.ts';
import type { AdmissionRequest } from '../api/admission.ts';
import { subjectOf } from '../resources/registry.ts';

/** The name of the object in a refusal. A generated name does not exist yet while mutating steps run. */
function shownName({ name, object }: AdmissionRequest): string {
  if (name !== '') return name;
  return object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
}

/** The refusal of a request: an error 403 with the reason after the standard introduction. */
export function refusal(request: AdmissionRequest, reason: string): StatusError {
  return forbidden(subjectOf(request.served), shownName(request), reason);
}

/** Several reasons as one text. A single reason is unchanged, and several reasons become a list. */
export function aggregate(reasons: readonly string[]): string {
  const distinct = [...new Set(reasons)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
}
