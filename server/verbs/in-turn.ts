import { InTurns } from '#base/time/in-turns.ts';
import { nowOnBehalfOf } from '#program/tracing/request-stages.ts';
import type { RequestContext } from '../api/request-context.ts';

/** Bodies of fewer bytes are parsed at once: the rest of their request costs more. */
const SMALL = 8 * 1024;

/** Bodies that wait to be parsed, by the names of their users. */
const bodies = new InTurns<string>();

/**
 * Parses the body of a request, which has been read, with `parse`. Large bodies wait for a turn: users take turns, and
 * each turn of the event loop parses few bodies. So many bodies at once do not stop the event loop, and a user who
 * sends many waits behind a user who sends one.
 *
 * @throws what `parse` throws; a body that waits rejects with it
 */
export function inTurn<T>(context: RequestContext, parse: () => T): T | Promise<T> {
  if (context.bodyLength < SMALL) return parse();
  return new Promise((resolve, reject) => {
    bodies.add(context.user?.name ?? '', () => {
      nowOnBehalfOf(context.stages);
      try {
        resolve(parse());
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}
