import { RELEASE } from '../../config/release.ts';
import { methodNotAllowed } from '../../errors/status-error.ts';
import type { Naming } from '../../naming/naming.ts';
import type { Answer } from '../answer.ts';
import { acceptedOnly } from '../negotiation.ts';
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

/** Answers /version: what clients compare themselves with. The fields about a Go build have fixed values. */
export function version(context: RequestContext, naming: Naming): Answer | undefined {
  const { path, method } = context.info;
  if (path !== '/version' && path !== '/version/') return undefined;
  if (method !== 'GET') throw methodNotAllowed();
  const accept = context.header('accept') ?? '';
  if (accept !== '' && !/(application\/json|application\/\*|\*\/\*)/.test(accept)) throw acceptedOnly(naming);
  return { kind: 'bytes', status: 200, contentType: 'application/json', body: DOCUMENT };
}
