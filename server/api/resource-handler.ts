import type { Answer } from './answer.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { RequestContext } from './request-context.ts';
import type { ServedResource } from './served-resource.ts';

/** Answers one verb on a resource. */
export type ResourceHandler = (served: ServedResource, context: RequestContext) => MaybePromise<Answer>;

/** Handlers by verb; `subresource` answers everything below an object. */
export interface ResourceHandlers {
  readonly verbs: Readonly<Record<string, ResourceHandler>>;
  readonly subresource: ResourceHandler;
}

/** Answers a path outside the resources; undefined if the path is unknown. */
export type Routes = (context: RequestContext) => Promise<Answer | undefined>;
