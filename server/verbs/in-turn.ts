import { InTurns } from '#base/time/in-turns.ts';
import { nowOnBehalfOf } from '#program/tracing/request-stages.ts';
import type { RequestContext } from '../api/request-context.ts';

/** Bodies of fewer bytes are parsed at once: the rest of their request costs more. */
const SMALL = 8 * 1024;

/** Bodies that wait to be parsed, by the names of their users. */
const bodies = new InTurns<string>();

/**
 * Parses the body of a request, which has been read, with `parse`: large ones when the event loop gets to them, one
 * user after the other, and few in one turn of it. So bodies that come all at once do not hold up everybody by their
 * sum, and who sends many waits behind who sends one. Throws, or rejects with, what `parse` throws.
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
