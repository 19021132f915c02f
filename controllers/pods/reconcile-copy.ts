import { isConflict } from '#client/errors.ts';
import type { Lister } from '#client/informer/informer.ts';
import type { LookAgain, Reconcile } from '#client/work/work-queue.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Expectations } from './expectations.ts';

/** A copy that was a moment behind has caught up by then, in milliseconds. */
export const BEHIND_MS = 20;

/**
 * Looks at the copy of an object as soon as it shows all that was written for it. A look that meets a conflict (409)
 * was at a copy that was behind, and is taken again soon. Of an object that has gone there is nothing to look at.
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
