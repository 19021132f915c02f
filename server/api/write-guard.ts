import type { ApiObject } from '#schema/objects/api-object.ts';
import type { RequestContext } from './request-context.ts';
import type { ServedResource } from './served-resource.ts';

/** A write of an object, in the storage version. */
export interface GuardedWrite {
  readonly served: ServedResource;
  readonly context: RequestContext;
  readonly object: ApiObject;
  /** It is undefined when the object is created. */
  readonly old: ApiObject | undefined;
}

/**
 * Refuses writes that a request's own verb does not cover.
 *
 * @throws 403
 */
export interface WriteGuard {
  /** Checks an object before it is stored. */
  write(write: GuardedWrite): Promise<void>;
  /** Called before a PUT or an apply creates its object. */
  createByUpdate(context: RequestContext): Promise<void>;
}
