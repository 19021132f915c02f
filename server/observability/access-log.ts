import type { Logger } from 'pino';
import type { Finished } from './request-metrics.ts';

/** The query parameters that are logged. Other parameters may contain secrets, such as tokens of streams. */
function shownTarget({ info, query }: Finished['context']): string {
  const names = [...new Set(query.keys())];
  return names.length === 0 ? info.path : `${info.path}?${names.join('&')}`;
}

/** Logs each request and its result. The keys are known to operators of this field. */
export function logRequest(log: Pick<Logger, 'info'>, { context, status, milliseconds }: Finished): void {
  log.info(
    {
      verb: context.info.verb.toUpperCase(),
      URI: shownTarget(context),
      latency: `${milliseconds.toFixed(3)}ms`,
      userAgent: context.header('user-agent') ?? '',
      'audit-ID': context.id,
      srcIP: context.remoteAddress,
      resp: status,
    },
    'HTTP',
  );
}
