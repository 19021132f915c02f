import { ApiError, ConnectionError } from '#client/errors.ts';
import { NameError } from '#client/path-segment.ts';
import type { Problem } from '../protocol/messages.ts';
import { fieldsOfMessage } from './fields-of-message.ts';

/** Advice about an answer, by its code. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [0, 'The console tries again by itself. Look whether the server runs, and whether its address is right.'],
  [401, 'The credentials of the connection file are not valid (any more). Get new ones and start the console again.'],
  [403, 'Ask for a role that has this right. "orchctl auth can-i --list" shows what you may do.'],
  [404, 'The object, or its kind, is gone. The table shows what is there.'],
  [409, 'The object has changed since it was read. Read it again, and make the change once more.'],
  [410, 'The server no longer keeps a version that old.'],
  [422, 'The object breaks a rule of its kind. Mend the fields that are named.'],
  [429, 'The server has too much to do. The console tries again by itself.'],
  [503, 'The server, or what it needs, is not ready. The console tries again by itself.'],
]);

const OTHERS = 'Look into the log of the server at this time.';

/** The problem that the page shows for an error. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ExplainedError) return error.problem;
  if (error instanceof ApiError) {
    const listed = (error.status.details?.causes ?? []).map(({ field = '', message = '' }) => ({ field, message }));
    const causes = error.code === 400 && listed.length === 0 ? fieldsOfMessage(error.message) : listed;
    const advice = ADVICE.get(error.code) ?? OTHERS;
    return { code: error.code, reason: error.reason, message: error.message, causes, advice };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof NameError || error instanceof RequestError)
    return { code: 400, reason: 'BadRequest', message, causes: [], advice: 'Correct what was entered.' };
  const reason = error instanceof ConnectionError ? 'NoAnswer' : 'Unknown';
  return { code: 0, reason, message, causes: [], advice: ADVICE.get(0)! };
}

/** A request of the page that is not as it should be. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
}

/** An error about which all has been found out that the page shows. */
export class ExplainedError extends Error {
  override readonly name = 'ExplainedError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}
