import type { Filter, Impersonate } from '../../api/filter.ts';

/** Lets callers act as somebody else. */
export function impersonateFilter(impersonate: Impersonate): Filter {
  return async (context, next) => {
    context.user = (await impersonate(context)) ?? context.user;
    return next();
  };
}
