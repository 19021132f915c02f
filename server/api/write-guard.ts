import type { ApiObject } from '#schema/objects/api-object.ts';
import type { RequestContext } from './request-context.ts';
import type { ServedResource } from './served-resource.ts';

/** A write of an object, in the storage version. */
export interface GuardedWrite {
  readonly served: ServedResource;
  readonly context: RequestContext;
  readonly object: ApiObject;
  /** The object before; undefined for a create. */
  readonly old: ApiObject | undefined;
}

/**
 * Refuses writes for which the right to the request's own verb is not enough.
 *
 * @throws StatusError (403)
 */
export interface WriteGuard {
  /** Checks an object before it is stored. */
  write(write: GuardedWrite): Promise<void>;
  /** Called before a PUT or an apply creates its object. */
  createByUpdate(context: RequestContext): Promise<void>;
}
