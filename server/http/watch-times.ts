/** Time between bookmarks, in milliseconds. */
const BOOKMARK_EVERY = 60_000;

/** How long before the server closes the stream the last bookmark goes out, in milliseconds. */
const BOOKMARK_BEFORE_END = 2000;

/**
 * When there is something to do next in a watch that has lasted so long and will last so long in all, in milliseconds:
 * a bookmark every minute and one shortly before the end, and the end itself. Whole minutes are the same for all
 * watches, and timers of the same length cost next to nothing.
 */
export function nextMoment(lasted: number, willLast: number): number {
  const last = willLast - BOOKMARK_BEFORE_END;
  const next = lasted - (lasted % BOOKMARK_EVERY) + BOOKMARK_EVERY;
  return Math.min(next, last > lasted ? last : willLast, willLast);
}
