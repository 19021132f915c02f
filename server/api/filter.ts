import type { Answer } from './answer.ts';
import type { RequestContext } from './request-context.ts';
import type { UserInfo } from './user-info.ts';

/** Whom a request asks to be made as, if its caller may; undefined for the caller itself. Throws 400 and 403. */
export type Impersonate = (context: RequestContext) => Promise<UserInfo | undefined>;

/** Finds out who makes a request. Throws 401 when nobody vouches for it, 503 when it cannot tell. */
export type Authenticate = (context: RequestContext) => Promise<UserInfo>;

/** Decides whether a request may go on: throws a 403 when not, or gives the answer that ends it. */
export type Authorize = (context: RequestContext) => Promise<Answer | undefined>;

/** One stage of a request's way: answers, throws a StatusError, or lets the rest of the chain answer. */
export type Filter = (context: RequestContext, next: () => Promise<Answer>) => Promise<Answer>;

/** What answers at the end of the chain. */
export type Handler = (context: RequestContext) => Promise<Answer>;

/** Puts filters in front of a handler, the first one outermost. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (context) => filter(context, () => next(context)), handler);
}
