import type { Naming } from '#base/naming/naming.ts';
import type { Tracer } from '#program/tracing/trace-span.ts';
import type { Exchange } from '../../api/exchange.ts';
import type { Filter } from '../../api/filter.ts';
import type { RequestContext } from '../../api/request-context.ts';

/** The group of clients that may choose the trace of a request, and so have it recorded. */
const TRUSTED_GROUP = 'system:masters';

/** A short name of a request, from a limited set: it contains no text that clients choose. */
function nameOf({ info }: RequestContext): string {
  if (!info.isResource) return info.verb.toUpperCase();
  const below = info.subresource === '' ? '' : `/${info.subresource}`;
  return `${info.verb} ${info.resource}${below}`;
}

function protocolOf(socket: Exchange['request']['socket']): string {
  return 'alpnProtocol' in socket && socket.alpnProtocol === 'h2' ? '2' : '1.1';
}

/**
 * Adds authenticated requests to traces. Only an administrator's request may continue a trace of its caller. All others
 * start new traces: otherwise a client could have everything recorded, or place its requests in the traces of others.
 */
export function traceFilter(tracer: Tracer, naming: Pick<Naming, 'tracedApi'>): Filter {
  return (context, next) => {
    const { stages, user, info } = context;
    const trusted = user?.groups.includes(TRUSTED_GROUP) === true;
    const span = tracer.begin(naming.tracedApi, stages.started, trusted ? context.header('traceparent') : undefined);
    if (span === undefined) return next(context);
    const now = performance.now();
    stages.span = span;
    span.child('authentication', now - stages.of('authentication')).end(now);
    const { request, response } = context.raw();
    response.once('close', () => {
      stages.finish();
      span.end(performance.now(), {
        'http.server_name': naming.tracedApi,
        'http.method': info.method,
        'http.target': info.rawPath,
        'http.host': context.header('host') ?? '',
        'http.scheme': 'https',
        'http.flavor': protocolOf(request.socket),
        'http.user_agent': context.header('user-agent') ?? '',
        'http.status_code': response.statusCode,
        'net.transport': 'IP.TCP',
        'net.peer.ip': context.remoteAddress,
        'api.operation': nameOf(context),
        'audit.id': context.id,
        ...(stages.blocked > 0 && { 'event_loop.blocked_ms': Math.round(stages.blocked) }),
      });
    });
    return next(context);
  };
}
