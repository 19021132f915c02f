import type { Answer } from '../../api/answer.ts';
import type { Filter } from '../../api/chain.ts';
import type { RequestContext } from '../../api/request-context.ts';

/** Decides whether a request may go on: throws a 403 when not, or gives the answer that ends it. */
export type Authorize = (context: RequestContext) => Promise<Answer | undefined>;

/** Lets only allowed requests through. */
export function authorizeFilter(authorize: Authorize): Filter {
  return async (context, next) => {
    return (await authorize(context)) ?? next();
  };
}
