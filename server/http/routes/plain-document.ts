import { methodNotAllowed, StatusError } from '../../errors/status-error.ts';
import type { Answer } from '../answer.ts';
import type { RequestContext } from '../request-context.ts';

/** A document that is served as it is. */
export interface PlainDocument {
  readonly path: string;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly body: Buffer;
}

/** Whether an Accept header takes a media type; none takes all. */
function accepts(accept: string, contentType: string): boolean {
  if (accept.trim() === '') return true;
  const [main] = contentType.split('/');
  return accept.split(',').some((range) => {
    const type = range.split(';', 1)[0]!.trim().toLowerCase();
    return type === '*/*' || type === `${main}/*` || type === contentType;
  });
}

/** Answers the paths of documents; undefined for other paths. Throws 405 and 406. */
export function plainDocument(context: RequestContext, documents: readonly PlainDocument[]): Answer | undefined {
  const document = documents.find(({ path }) => path === context.info.path.replace(/\/$/, ''));
  if (document === undefined) return undefined;
  const { method } = context.info;
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
  const { contentType, cacheControl, body } = document;
  if (!accepts(context.header('accept') ?? '', contentType)) {
    throw new StatusError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${contentType}`, {});
  }
  return { kind: 'bytes', status: 200, contentType, body, headers: { 'Cache-Control': cacheControl } };
}
