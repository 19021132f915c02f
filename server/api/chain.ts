import type { Answer } from './answer.ts';
import type { RequestContext } from './request-context.ts';

/** One stage of a request's way: answers, throws a StatusError, or lets the rest of the chain answer. */
export type Filter = (context: RequestContext, next: () => Promise<Answer>) => Promise<Answer>;

/** What answers at the end of the chain. */
export type Handler = (context: RequestContext) => Promise<Answer>;

/** Puts filters in front of a handler, the first one outermost. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (context) => filter(context, () => next(context)), handler);
}
