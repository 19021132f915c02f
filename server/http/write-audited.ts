import type { Status } from '#base/errors/status-error.ts';
import type { EndingAnswer } from '../api/answer.ts';
import type { AuditRecord } from '../api/audit-record.ts';
import type { OutgoingResponse } from '../api/exchange.ts';
import type { Negotiated, RequestContext } from '../api/request-context.ts';
import { checkListForm } from '../codecs/encode-list.ts';
import { jsonChunks } from '../codecs/encode-object.ts';
import { transformObject } from '../codecs/transform.ts';
import type { Registry } from '../resources/registry.ts';
import type { ListRecorder } from './list-recorder.ts';
import { writeAnswer } from './write-answer.ts';

/**
 * Sends an answer that the audit log records. An answer in one piece is recorded before it is sent. So in the blocking
 * modes, a client that has the answer knows that it is in the log. Streams and lists are recorded when they end.
 */
export async function writeAudited(
  audit: AuditRecord,
  response: OutgoingResponse,
  answer: EndingAnswer,
  negotiated: Negotiated,
  context: RequestContext,
  registry: Registry,
  lists: ListRecorder,
): Promise<void> {
  context.stages.enter('writing');
  const shown = transformed(answer, negotiated, context, registry);
  if (shown.kind === 'object' && shown.content.kind === 'Status') {
    audit.status(shown.content.object() as unknown as Partial<Status>);
  }
  if (audit.keepsResponse && shown.kind === 'object') {
    audit.response(Buffer.concat(jsonChunks(shown.content)).toString());
  }
  const form = shown === answer ? negotiated : { ...negotiated, as: undefined };
  await audit.answering(shown.status);
  if (isOnePiece(shown)) {
    await audit.completed();
    await writeAnswer(response, shown, form, context, registry);
    return;
  }
  try {
    await writeAnswer(response, shown, form, context, registry);
    // The handler that took over the connection still writes to it.
    if (shown.kind === 'hijacked') await ended(response);
  } finally {
    if (audit.keepsResponse && shown.kind === 'list') {
      await lists.complete(audit, shown.content, negotiated, context, registry);
    } else await audit.completed();
  }
}

/**
 * The answer with its object in the requested form.
 *
 * @throws StatusError (400, 406) if the object has no such form
 */
function transformed(
  answer: EndingAnswer,
  negotiated: Negotiated,
  context: RequestContext,
  registry: Registry,
): EndingAnswer {
  if (answer.kind === 'list') checkListForm(answer.content.served, negotiated, context);
  if (answer.kind !== 'object' || negotiated.as === undefined) return answer;
  return { ...answer, content: transformObject(registry, answer.content, negotiated, context) };
}

function isOnePiece(answer: EndingAnswer): boolean {
  if (answer.kind === 'bytes') return Buffer.isBuffer(answer.body);
  return answer.kind === 'object' || answer.kind === 'text' || answer.kind === 'empty';
}

async function ended(response: OutgoingResponse): Promise<void> {
  if (response.closed || response.destroyed) return;
  await new Promise<void>((resolve) => response.once('close', () => resolve()));
}
