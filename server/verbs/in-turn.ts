import { inFairTurns } from '#base/time/fair-turn.ts';
import { InTurns } from '#base/time/in-turns.ts';
import { atOnce, type Steps } from '#base/time/steps.ts';
import { nowOnBehalfOf } from '#program/tracing/request-stages.ts';
import type { RequestContext } from '../api/request-context.ts';
import { isLarge } from './is-large.ts';

/** The size in bytes below which bodies are parsed at once, because the rest of their request costs more. */
const SMALL = 8 * 1024;

/** Bodies that wait to be parsed, by the names of their users. */
const bodies = new InTurns<string>();

/**
 * Parses the body of a request, which the server has already read. Large bodies wait in a queue that serves users
 * alternately, and each turn of the event loop starts few bodies. So many bodies at once do not stop the event loop,
 * and a user who sends many waits behind a user who sends one. Between the steps of a large body, the event loop
 * continues other work.
 *
 * @throws the errors of `parsing`; for a waiting body, the promise rejects with them
 */
export function inTurn<T>(context: RequestContext, parsing: Steps<T>): T | Promise<T> {
  if (context.bodyLength < SMALL) return atOnce(parsing);
  return new Promise((resolve, reject) => {
    bodies.add(context.user?.name ?? '', () => {
      nowOnBehalfOf(context.stages);
      if (isLarge(context)) {
        inFairTurns(parsing).then(resolve, reject);
        return;
      }
      try {
        resolve(atOnce(parsing));
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}
