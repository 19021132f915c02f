import { isConflict } from '#client/errors.ts';
import type { Lister } from '#client/informer/informer.ts';
import type { LookAgain, Reconcile } from '#client/work/work-queue.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Expectations } from './expectations.ts';

/** The time after which a copy that was a moment behind has caught up, in milliseconds. */
export const BEHIND_MS = 20;

/**
 * Works on the copy of an object as soon as the copy shows all writes for the object. A conflict (409) means that the
 * copy was behind, so the work is tried again soon. If the object is gone, there is no work.
 */
export function reconcileCopy<T extends ApiObject>(
  expectations: Expectations,
  copies: Pick<Lister<T>, 'get'>,
  look: (copy: T) => Promise<LookAgain | undefined>,
): Reconcile {
  return async (key) => {
    await expectations.seen(key);
    const copy = copies.get(key);
    if (copy === undefined) return undefined;
    try {
      return await look(copy);
    } catch (error) {
      if (isConflict(error)) return { afterMs: BEHIND_MS };
      throw error;
    }
  };
}
