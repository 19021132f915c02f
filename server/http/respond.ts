import type { Logger } from 'pino';
import type { StatusError } from '#base/errors/status-error.ts';
import { nowOnBehalfOf } from '#program/tracing/request-stages.ts';
import type { EndingAnswer } from '../api/answer.ts';
import { isConnected } from '../api/connected.ts';
import type { IncomingRequest, OutgoingResponse } from '../api/exchange.ts';
import type { Handler } from '../api/filter.ts';
import { isPromise } from '../api/maybe-promise.ts';
import { negotiate } from '../api/negotiation.ts';
import type { Negotiated, RequestContext } from '../api/request-context.ts';
import type { ServedResource } from '../api/served-resource.ts';
import { upgradeOf } from '../api/upgrade.ts';
import type { WatchStream } from '../api/watch-stream.ts';
import { type StreamOutput, WebSocketOutput } from '../api/web-socket.ts';
import { statusContent } from '../codecs/watch-events.ts';
import type { Finished, OpenWatch } from '../observability/request-metrics.ts';
import type { Registry } from '../resources/registry.ts';
import { discardBody } from './discard-body.ts';
import { type ContextOptions, HttpContext } from './http-context.ts';
import { LateAnswers } from './late-answers.ts';
import { ListRecorder } from './list-recorder.ts';
import { waitedBehindOthers } from './pipeline.ts';
import { RefusalLog } from './refusal-log.ts';
import { RunningWatches } from './running-watches.ts';
import { isTarget } from './target.ts';
import { clientGone, foreseenError, toStatusError } from './to-status-error.ts';
import { writeAnswer } from './write-answer.ts';
import { writeAudited } from './write-audited.ts';
import { type Ending, writeWatch } from './write-watch.ts';

const PLAIN: Negotiated = { format: 'json', as: undefined, asVersion: 'v1', pretty: false };

export interface ResponderOptions extends ContextOptions {
  readonly registry: Registry;
  readonly handler: Handler;
  readonly log: Logger;
  readonly finished: (finished: Finished) => void;
  /** Called when a request begins that another server answers. Returns the function to call at its end. */
  readonly streamOpened: (context: RequestContext) => () => void;
  /** Called when a watch begins. The result counts what the watch sends until it ends. */
  readonly watchOpened: (context: RequestContext, served: ServedResource, initial: number) => OpenWatch;
}

/** The parts that all requests share. */
interface Parts {
  readonly lists: ListRecorder;
  readonly refusals: RefusalLog;
  readonly late: LateAnswers;
  readonly watches: RunningWatches;
}

/** The form of an error: the negotiated one without transforms, or JSON if nothing else was acceptable. */
function errorForm(context: RequestContext, options: ResponderOptions): Negotiated {
  const known = context.form;
  if (known !== undefined && known.as === undefined) return known;
  const formOf = (accept: string | undefined) =>
    negotiate(accept, context.query, context.header('user-agent'), options.registry.naming, {
      transforms: false,
      watchable: false,
    });
  try {
    return formOf(context.header('accept'));
  } catch {
    return formOf(undefined);
  }
}

function errorAnswer(error: StatusError, registry: Registry): EndingAnswer {
  const { refusedBy } = error;
  const retry = error.status.details?.retryAfterSeconds;
  return {
    kind: 'object',
    status: error.code,
    content: statusContent(registry, error.status),
    headers: {
      ...error.headers,
      ...(retry === undefined ? {} : { 'Retry-After': String(retry) }),
      ...(refusedBy === undefined ? {} : { [registry.naming.header('Refused-By')]: refusedBy }),
    },
  };
}

function setWarnings({ warnings }: HttpContext, response: OutgoingResponse): void {
  if (!warnings.isEmpty) response.setHeader('Warning', warnings.headers);
}

/** Writes an answer to the client, and to the audit log if the request is recorded. */
function send(
  answer: EndingAnswer,
  form: Negotiated,
  context: HttpContext,
  { registry }: ResponderOptions,
  { lists }: Parts,
): Promise<void> {
  const { response } = context.raw();
  const { audit } = context;
  setWarnings(context, response);
  return audit === undefined
    ? writeAnswer(response, answer, form, context, registry)
    : writeAudited(audit, response, answer, form, context, registry, lists);
}

/** Like `send`, for an answer that continues afterwards. The record of the request ends with it. */
async function sendWatch(
  stream: WatchStream,
  form: Negotiated,
  context: HttpContext,
  options: ResponderOptions,
  parts: Parts,
): Promise<Ending | undefined> {
  const { request, response } = context.raw();
  const { audit } = context;
  setWarnings(context, response);
  context.stages.enter('writing');
  const upgrade = upgradeOf(request);
  let output: StreamOutput = response;
  if (upgrade !== undefined) {
    try {
      output = new WebSocketOutput(upgrade, request.headers, () => {
        response.statusCode = 101;
      });
    } catch (error) {
      stream.subscription?.close();
      throw error;
    }
  }
  if (audit !== undefined) await audit.answering(upgrade === undefined ? 200 : 101);
  const ended = (error?: unknown): void => {
    // A failure here has no consequence, like that of an answer that could not be written.
    Promise.resolve(audit?.completed()).catch((err: unknown) =>
      options.log.error({ err }, 'the audit event of a watch was not written'),
    );
    if (error !== undefined) failed(error, context, options, parts);
  };
  try {
    return writeWatch(output, stream, form, context, options.registry, parts.watches, ended);
  } catch (error) {
    await audit?.completed();
    throw error;
  }
}

/**
 * Records a failure in the log and in the audit record. Returns the refusal to send; undefined if it is too late for a
 * refusal.
 */
function failed(
  thrown: unknown,
  context: HttpContext,
  { log }: ResponderOptions,
  { refusals }: Parts,
): StatusError | undefined {
  const { response } = context.raw();
  // No client gets the failure, because calls are cancelled when their client disconnects.
  const gone = response.destroyed;
  const error = gone ? clientGone() : toStatusError(thrown);
  const { method, path } = context.info;
  const what = { requestId: context.id, method, path, code: error.code };
  if (gone) log.debug({ ...what, err: thrown }, error.message);
  else if (error.code >= 500) log.error({ ...what, err: thrown }, error.message);
  else refusals.refused(context, error, what);
  if (!gone && foreseenError(thrown) === undefined) context.audit?.panicked();
  if (!response.headersSent && response.statusCode !== 101) return error;
  response.destroy();
  return undefined;
}

async function respond(
  request: IncomingRequest,
  response: OutgoingResponse,
  sent: () => number,
  options: ResponderOptions,
  parts: Parts,
): Promise<void> {
  const context = new HttpContext(request, response, options);
  const { stages } = context;
  stages.add('waiting', waitedBehindOthers(request));
  let streamEnded = isConnected(context.info) ? options.streamOpened(context) : undefined;
  let isOver = false;
  let running: Ending | undefined;
  // All code that waits for the end shares one listener, because each listener adds a cost to every request.
  response.on('close', () => {
    isOver = true;
    const now = performance.now();
    stages.finish(now);
    const milliseconds = now - stages.started;
    // An accepted upgrade has no head of this kind.
    const answered = response.headersSent || response.statusCode === 101;
    const status = answered ? response.statusCode : clientGone().code;
    options.finished({ context, status, milliseconds, bytes: sent() });
    streamEnded?.();
    running?.end();
    parts.late.taken(response);
    context.end.come(now);
  });
  response.setHeader('Audit-Id', context.id);
  response.setHeader('Cache-Control', 'no-cache, private');
  try {
    nowOnBehalfOf(stages);
    const answering = options.handler(context);
    const answer = isPromise(answering) ? await answering : answering;
    context.end.answered(answer);
    // The form of another server's answer cannot be chosen.
    const form = context.form ?? (answer.kind === 'hijacked' ? PLAIN : errorForm(context, options));
    if (answer.kind === 'watch') {
      const { stream } = answer;
      if (!isOver) {
        const watch = options.watchOpened(context, stream.served, stream.initial.length);
        stream.sent = watch.sent;
        streamEnded = watch.ended;
      }
      running = await sendWatch(stream, form, context, options, parts);
      if (isOver) running?.end();
      context.rest();
    } else {
      await send(answer, form, context, options, parts);
      if (answer.kind !== 'hijacked') parts.late.ended(response, context.deadlineAt);
    }
  } catch (thrown) {
    const error = failed(thrown, context, options, parts);
    if (error !== undefined)
      await send(errorAnswer(error, options.registry), errorForm(context, options), context, options, parts);
  }
  // The client disconnected before `end` listened.
  if (response.destroyed) context.end.come();
  discardBody(request, response);
}

/** Answers a request. `sent` returns the number of bytes of the answer that were sent. */
export type Respond = (request: IncomingRequest, response: OutgoingResponse, sent: () => number) => void;

/** The chain with the parts that every answer needs, for the adapters of all versions of HTTP. */
export function createResponder(options: ResponderOptions): Respond {
  const parts: Parts = {
    lists: new ListRecorder(),
    refusals: new RefusalLog(options.log),
    late: new LateAnswers(),
    watches: new RunningWatches(options.leaving),
  };
  return (request, response, sent) => {
    if (!isTarget(request.url ?? '/')) {
      response.setHeader('Content-Type', 'text/plain; charset=utf-8');
      response.writeHead(400);
      response.end('400 Bad Request');
      discardBody(request, response);
      return;
    }
    respond(request, response, sent, options, parts).catch((error: unknown) => {
      options.log.error({ err: error, path: request.url }, 'an answer could not be written');
      response.destroy();
    });
  };
}
