import type { RequestContext } from './request-context.ts';
/** How a request ended, for metrics and the access log. */
export interface Finished {
  readonly context: RequestContext;
  readonly status: number;
  readonly milliseconds: number;
  readonly bytes: number;
}
