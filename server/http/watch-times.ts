/** Time between bookmarks, in milliseconds. */
const BOOKMARK_EVERY = 60_000;

/** The time between the last bookmark and the end of the stream, in milliseconds. */
const BOOKMARK_BEFORE_END = 2000;

/**
 * The next moment at which a watch must act, in milliseconds. It sends a bookmark every minute and one shortly before
 * the end, and it ends. `lasted` is its age and `willLast` its whole duration. Whole minutes are the same for all
 * watches, and timers of equal length cost almost nothing.
 */
export function nextMoment(lasted: number, willLast: number): number {
  const last = willLast - BOOKMARK_BEFORE_END;
  const next = lasted - (lasted % BOOKMARK_EVERY) + BOOKMARK_EVERY;
  return Math.min(next, last > lasted ? last : willLast, willLast);
}
