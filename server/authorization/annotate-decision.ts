import type { Naming } from '#base/naming/naming.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { Decision } from './authorizer.ts';

/** The reason in the audit log if an authorizer failed. The error itself may contain details of the server. */
const UNKNOWN_REASON = 'internal error';

/** Records the decision about a request and its reason in the audit log. */
export function annotateDecision(
  { annotations }: Pick<RequestContext, 'annotations'>,
  { verdict, reason, error }: Decision,
  naming: Naming,
): void {
  if (verdict !== 'allow' && error !== undefined) {
    annotations.set(naming.key('authorization/reason'), UNKNOWN_REASON);
    return;
  }
  annotations.set(naming.key('authorization/decision'), verdict === 'allow' ? 'allow' : 'forbid');
  annotations.set(naming.key('authorization/reason'), reason);
}
