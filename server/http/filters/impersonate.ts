import type { Filter } from '../../api/chain.ts';
import type { RequestContext, UserInfo } from '../../api/request-context.ts';

/** Whom a request asks to be made as, if its caller may; undefined for the caller itself. Throws 400 and 403. */
export type Impersonate = (context: RequestContext) => Promise<UserInfo | undefined>;

/** Lets callers act as somebody else. */
export function impersonateFilter(impersonate: Impersonate): Filter {
  return async (context, next) => {
    context.user = (await impersonate(context)) ?? context.user;
    return next();
  };
}
