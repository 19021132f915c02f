import type { Filter } from '../../api/chain.ts';
import type { RequestContext, UserInfo } from '../../api/request-context.ts';

/** Finds out who makes a request. Throws 401 when nobody vouches for it, 503 when it cannot tell. */
export type Authenticate = (context: RequestContext) => Promise<UserInfo>;

/** Puts the user into the context. */
export function authenticateFilter(authenticate: Authenticate): Filter {
  return async (context, next) => {
    context.user = await authenticate(context);
    return next();
  };
}
