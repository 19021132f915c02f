import type { Authenticate, Authorize, Filter, Impersonate } from '../../api/filter.ts';

/** Puts the user into the context. */
export function authenticateFilter(authenticate: Authenticate): Filter {
  return async (context, next) => {
    context.user = await authenticate(context);
    return next();
  };
}

/** Lets callers act as somebody else. */
export function impersonateFilter(impersonate: Impersonate): Filter {
  return async (context, next) => {
    context.user = (await impersonate(context)) ?? context.user;
    return next();
  };
}

/** Lets only allowed requests through. */
export function authorizeFilter(authorize: Authorize): Filter {
  return async (context, next) => {
    return (await authorize(context)) ?? next();
  };
}
