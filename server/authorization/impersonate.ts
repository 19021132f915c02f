import type { Naming } from '#base/naming/naming.ts';
import { resourceAttributes } from '../api/attributes.ts';
import type { Impersonate } from '../api/filter.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { UserInfo } from '../api/user-info.ts';
import { type Impersonation, mayImpersonate, requestedImpersonation } from '../authentication/impersonation.ts';
import { annotateDecision } from './annotate-decision.ts';
import type { Authorization } from './create-authorization.ts';
import { refusal } from './refusal.ts';

/** Whether a request has headers that {@link impersonator} reads. For all other requests it does nothing. */
export function mayAskForAnother(context: RequestContext): boolean {
  return mayImpersonate(context.raw().request.headers);
}

/** Checks each part of the impersonated identity. The caller needs the right to each part. */
export function impersonator(authorization: Pick<Authorization, 'decide'>, naming: Naming): Impersonate {
  const impersonated = async (context: RequestContext, asked: Impersonation): Promise<UserInfo> => {
    context.audit?.impersonate(asked.user);
    for (const check of asked.checks) {
      const attributes = resourceAttributes(context.user, { verb: 'impersonate', ...check });
      const decision = await authorization.decide(attributes);
      if (decision.verdict === 'allow') continue;
      if (context.audit !== undefined) annotateDecision(context, decision, naming);
      throw refusal(attributes, decision.reason);
    }
    return asked.user;
  };
  return (context) => {
    const asked = requestedImpersonation(context.raw().request.headersDistinct, naming);
    return asked && impersonated(context, asked);
  };
}
