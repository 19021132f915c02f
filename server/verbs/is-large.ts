import type { RequestContext } from '../api/request-context.ts';

/** Bodies from this size on are work enough for several turns of the event loop, in bytes. */
const LARGE = 32 * 1024;

/** Whether others are to have a turn (`fairTurn`) between the stages of a write, whose body has been read. */
export function isLarge(context: Pick<RequestContext, 'bodyLength'>): boolean {
  return context.bodyLength >= LARGE;
}
