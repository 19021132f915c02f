import { type DebugPage, debugPage } from '#program/process/debug-pages.ts';
import type { Verbosity } from '#program/process/verbosity.ts';
import type { Answer } from '../../api/answer.ts';
import type { RequestContext } from '../../api/request-context.ts';

function answerOf({ status, headers, body }: DebugPage): Answer {
  if (body === undefined) return { kind: 'empty', status, headers };
  if (typeof body === 'string') return { kind: 'text', status, text: body, headers };
  const { 'Content-Type': contentType = '', ...others } = headers;
  return { kind: 'bytes', status, contentType, headers: others, body };
}

/** Answers paths below `/debug` if profiling is on; undefined for other paths. */
export function debugRoutes(verbosity: Verbosity): (context: RequestContext) => Promise<Answer> | Answer | undefined {
  return (context) => {
    const { path, method } = context.info;
    if (!path.startsWith('/debug/')) return undefined;
    const request = {
      ...{ path, method, query: context.query },
      secondsLeft: (context.deadlineAt - performance.now()) / 1000,
      signal: () => AbortSignal.any([context.signal, context.leaving]),
      readBody: () => context.readBody(),
    };
    const page = debugPage(request, verbosity);
    return page instanceof Promise ? page.then(answerOf) : page && answerOf(page);
  };
}
