import type { Authenticate, Authorize, Filter, Impersonate } from '../../api/filter.ts';
import { whenReady } from '../../api/maybe-promise.ts';
import { ANONYMOUS } from '../../authentication/groups.ts';

/** Puts the user into the context, and records on the connection which user it serves. */
export function authenticateFilter(authenticate: Authenticate): Filter {
  return (context, next) =>
    whenReady(authenticate(context), (user) => {
      context.user = user;
      if (user.name !== ANONYMOUS) context.raw().request.madeBy?.(user.name);
      return next(context);
    });
}

/** Lets callers act as another user. */
export function impersonateFilter(impersonate: Impersonate): Filter {
  return (context, next) =>
    whenReady(impersonate(context), (user) => {
      if (user !== undefined) context.user = user;
      return next(context);
    });
}

/** Lets a request continue only if it is allowed. */
export function authorizeFilter(authorize: Authorize): Filter {
  return (context, next) => whenReady(authorize(context), (answer) => answer ?? next(context));
}
