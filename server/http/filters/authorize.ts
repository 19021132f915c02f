import type { Filter } from '../chain.ts';
import type { RequestContext } from '../request-context.ts';

/** Decides whether a request may go on; throws a 403 when not. */
export type Authorize = (context: RequestContext) => Promise<void>;

/** Lets only allowed requests through. */
export function authorizeFilter(authorize: Authorize): Filter {
  return async (context, next) => {
    await authorize(context);
    return next();
  };
}
