import { methodNotAllowed } from '#base/errors/status-error.ts';
import { type Answer, pageNotFound } from '../../api/answer.ts';
import { checkAccepted } from '../../api/negotiation.ts';
import type { RequestContext } from '../../api/request-context.ts';

/**
 * Answers `/logs` and paths below it; undefined for other paths. Logs go to standard error, and this server reads no
 * files of its host, so these paths have no content.
 *
 * @throws StatusError (405, and 406 for clients that ask for a certain media type)
 */
export function logs(context: RequestContext): Answer | undefined {
  const { path, method } = context.info;
  if (path !== '/logs' && !path.startsWith('/logs/')) return undefined;
  if (method !== 'GET') throw methodNotAllowed();
  checkAccepted(context.header('accept'), []);
  return pageNotFound();
}
