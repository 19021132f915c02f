import type { Authenticate, Filter } from '../../api/filter.ts';

/** Puts the user into the context. */
export function authenticateFilter(authenticate: Authenticate): Filter {
  return async (context, next) => {
    context.user = await authenticate(context);
    return next();
  };
}
