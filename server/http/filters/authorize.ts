import type { Authorize, Filter } from '../../api/filter.ts';

/** Lets only allowed requests through. */
export function authorizeFilter(authorize: Authorize): Filter {
  return async (context, next) => {
    return (await authorize(context)) ?? next();
  };
}
