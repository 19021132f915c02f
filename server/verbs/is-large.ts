import { inFairTurns } from '#base/time/fair-turn.ts';
import { atOnce, type Steps } from '#base/time/steps.ts';
import type { RequestContext } from '../api/request-context.ts';

/** The sizes of a request's body and stored object. */
export type Sizes = Pick<RequestContext, 'bodyLength' | 'storedLength'>;

/** Bodies and stored objects of at least this size need several turns of the event loop, in bytes. */
const LARGE = 32 * 1024;

/**
 * Whether a write must pause (`turnIfDue`) between its stages. It is known after the body was read, and again after the
 * stored object was read.
 */
export function isLarge(context: Sizes): boolean {
  return context.bodyLength >= LARGE || context.storedLength >= LARGE;
}

/**
 * Runs work of several steps: with pauses for a large write, and at once for others and without a request.
 *
 * @throws what the work throws
 */
export function inStepsOf<T>(context: Sizes | undefined, steps: Steps<T>): T | Promise<T> {
  return context !== undefined && isLarge(context) ? inFairTurns(steps) : atOnce(steps);
}
