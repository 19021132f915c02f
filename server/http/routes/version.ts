import { methodNotAllowed, pathNotFound } from '#base/errors/status-error.ts';
import { RELEASE } from '#program/flags/release.ts';
import type { Answer } from '../../api/answer.ts';
import { checkAccepted } from '../../api/negotiation.ts';
import type { RequestContext } from '../../api/request-context.ts';

const DOCUMENT = Buffer.from(
  JSON.stringify(
    {
      ...RELEASE,
      gitCommit: '',
      gitTreeState: 'clean',
      buildDate: '1970-01-01T00:00:00Z',
      goVersion: 'go1.19',
      compiler: 'gc',
      platform: 'linux/amd64',
    },
    undefined,
    2,
  ),
);

/**
 * Answers /version: what clients compare themselves with. The fields about a Go build have fixed values. Undefined for
 * other paths; throws 404 below it, 405 and 406.
 */
export function version(context: RequestContext): Answer | undefined {
  const { path, method } = context.info;
  if (path.startsWith('/version/') && path.length > '/version/'.length) throw pathNotFound();
  if (path !== '/version' && path !== '/version/') return undefined;
  if (method !== 'GET') throw methodNotAllowed();
  checkAccepted(context.header('accept'), ['application/json']);
  return { kind: 'bytes', status: 200, contentType: 'application/json', body: DOCUMENT };
}
