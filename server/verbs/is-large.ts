import type { RequestContext } from '../api/request-context.ts';

/** Bodies and stored objects from this size on are work enough for several turns of the event loop, in bytes. */
const LARGE = 32 * 1024;

/**
 * Whether others are to have a turn (`turnIfDue`) between the stages of a write, whose body has been read, or which has
 * met the object that is stored.
 */
export function isLarge(context: Pick<RequestContext, 'bodyLength' | 'storedLength'>): boolean {
  return context.bodyLength >= LARGE || context.storedLength >= LARGE;
}
