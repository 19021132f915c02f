import { requestedImpersonation } from '../authentication/impersonation.ts';
import type { Impersonate } from '../http/filters/impersonate.ts';
import type { Naming } from '../naming/naming.ts';
import { resourceAttributes } from './attributes.ts';
import type { Authorization } from './create-authorization.ts';
import { refusal } from './refusal.ts';

/** Checks each part of what the impersonation headers ask for, as the caller. */
export function impersonator(authorization: Pick<Authorization, 'decide'>, naming: Naming): Impersonate {
  return async (context) => {
    const asked = requestedImpersonation(context.raw().request.headersDistinct, naming);
    if (asked === undefined) return undefined;
    for (const check of asked.checks) {
      const attributes = resourceAttributes(context.user, { verb: 'impersonate', ...check });
      const { verdict, reason } = await authorization.decide(attributes);
      if (verdict !== 'allow') throw refusal(attributes, reason);
    }
    return asked.user;
  };
}
