import type { Answer } from './answer.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { RequestContext } from './request-context.ts';
import type { UserInfo } from './user-info.ts';

/**
 * Whom a request asks to be made as, if its caller may; undefined for the caller itself.
 *
 * @throws 400 and 403
 */
export type Impersonate = (context: RequestContext) => MaybePromise<UserInfo | undefined>;

/**
 * Finds out who makes a request.
 *
 * @throws 401 where the credentials are invalid, 503 where they cannot be checked
 */
export type Authenticate = (context: RequestContext) => MaybePromise<UserInfo>;

/** Decides whether a request may go on: throws a 403 when not, or gives the answer that ends it. */
export type Authorize = (context: RequestContext) => MaybePromise<Answer | undefined>;

/** What answers requests: the end of the chain, or any part of it up to there. */
export type Handler = (context: RequestContext) => MaybePromise<Answer>;

/**
 * One stage of a request's way: answers, throws a StatusError, or lets the rest of the chain (`next`) answer. Most
 * requests wait in none, so what is known at once is given at once.
 */
export type Filter = (context: RequestContext, next: Handler) => MaybePromise<Answer>;

/** Puts filters in front of a handler, the first one outermost. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (context) => filter(context, next), handler);
}
