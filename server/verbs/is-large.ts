import type { RequestContext } from '../api/request-context.ts';

/** Bodies and stored objects of at least this size need several turns of the event loop, in bytes. */
const LARGE = 32 * 1024;

/**
 * Whether a write must pause (`turnIfDue`) between its stages. It is known after the body was read, and again after the
 * stored object was read.
 */
export function isLarge(context: Pick<RequestContext, 'bodyLength' | 'storedLength'>): boolean {
  return context.bodyLength >= LARGE || context.storedLength >= LARGE;
}
