import type { Answer } from '../../api/answer.ts';
import type { RequestContext } from '../../api/request-context.ts';

/**
 * Goes on, and calls `release` once, when the client has its answer or is gone. A watch, and what somebody else answers,
 * counts only until it has begun.
 */
export async function untilAnswered(
  context: RequestContext,
  next: () => Promise<Answer>,
  release: () => void,
): Promise<Answer> {
  const { response } = context.raw();
  let counts = true;
  const end = (): void => {
    if (counts) release();
    counts = false;
  };
  response.once('close', end);
  let begun = false;
  try {
    const answer = await next();
    begun = answer.kind === 'watch' || answer.kind === 'hijacked';
    return answer;
  } finally {
    if (begun || response.destroyed) end();
  }
}
