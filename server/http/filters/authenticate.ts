import { unauthorized } from '../../errors/status-error.ts';
import type { Filter } from '../chain.ts';
import type { RequestContext, UserInfo } from '../request-context.ts';

/** Finds out who makes a request; undefined when nobody vouches for it. */
export type Authenticate = (context: RequestContext) => Promise<UserInfo | undefined>;

/** Puts the user into the context. Throws 401 without one. */
export function authenticateFilter(authenticate: Authenticate): Filter {
  return async (context, next) => {
    const user = await authenticate(context);
    if (user === undefined) throw unauthorized();
    context.user = user;
    return next();
  };
}
