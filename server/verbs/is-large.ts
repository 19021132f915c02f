import { inFairTurns } from '#base/time/fair-turn.ts';
import { atOnce, type Steps } from '#base/time/steps.ts';
import type { RequestContext } from '../api/request-context.ts';

/** The sizes of a request's body and stored object. */
export type Sizes = Pick<RequestContext, 'bodyLength' | 'storedLength'>;

/** The size in bytes from which bodies and stored objects need several turns of the event loop. */
const LARGE = 32 * 1024;

/**
 * Whether a write must pause (`turnIfDue`) between its stages. It is known after the body was read, and again after the
 * stored object was read.
 */
export function isLarge(context: Sizes): boolean {
  return context.bodyLength >= LARGE || context.storedLength >= LARGE;
}

/**
 * Runs work of several steps. For a large write it pauses between them. For other writes, and without a request, it
 * runs all at once.
 *
 * @throws the errors of the work
 */
export function inStepsOf<T>(context: Sizes | undefined, steps: Steps<T>): T | Promise<T> {
  return context !== undefined && isLarge(context) ? inFairTurns(steps) : atOnce(steps);
}
