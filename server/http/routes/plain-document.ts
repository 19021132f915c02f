import { methodNotAllowed } from '#base/errors/status-error.ts';
import type { Answer } from '../../api/answer.ts';
import { checkAccepted } from '../../api/negotiation.ts';
import type { RequestContext } from '../../api/request-context.ts';

/** A document that is served unchanged. */
export interface PlainDocument {
  readonly path: string;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly body: Buffer;
}

/**
 * Answers the paths of documents; undefined for other paths.
 *
 * @throws StatusError (405, 406)
 */
export function plainDocument(context: RequestContext, documents: readonly PlainDocument[]): Answer | undefined {
  const document = documents.find(({ path }) => path === context.info.path.replace(/\/$/, ''));
  if (document === undefined) return undefined;
  const { method } = context.info;
  if (method !== 'GET') throw methodNotAllowed();
  const { contentType, cacheControl, body } = document;
  checkAccepted(context.header('accept'), [contentType]);
  return { kind: 'bytes', status: 200, contentType, body, headers: { 'Cache-Control': cacheControl } };
}
