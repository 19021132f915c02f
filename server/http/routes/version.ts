import { RELEASE } from '../../config/release.ts';
import { methodNotAllowed, pathNotFound, StatusError } from '../../errors/status-error.ts';
import type { Answer } from '../answer.ts';
import { parseAccept } from '../negotiation.ts';
import type { RequestContext } from '../request-context.ts';

const DOCUMENT = Buffer.from(
  `${JSON.stringify(
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
  )}\n`,
);

/** Whether an Accept header takes JSON; none takes all. */
function acceptsJson(accept: string): boolean {
  if (accept === '') return true;
  return parseAccept(accept).some(
    ({ type, subtype }) => (type === '*' && subtype === '*') || (type === 'application' && /^(json|\*)$/.test(subtype)),
  );
}

/**
 * Answers /version: what clients compare themselves with. The fields about a Go build have fixed values. Undefined for
 * other paths; throws 404 below it, 405 and 406.
 */
export function version(context: RequestContext): Answer | undefined {
  const { path, method } = context.info;
  if (path.startsWith('/version/') && path.length > '/version/'.length) throw pathNotFound();
  if (path !== '/version' && path !== '/version/') return undefined;
  if (method !== 'GET') throw methodNotAllowed();
  if (!acceptsJson(context.header('accept') ?? '')) {
    throw new StatusError(
      406,
      'NotAcceptable',
      '406: Not Acceptable\n\nAvailable representations: application/json',
      {},
    );
  }
  return { kind: 'bytes', status: 200, contentType: 'application/json', body: DOCUMENT };
}
