import type { RequestInfo } from './request-context.ts';

const PROBE = /^\/(?:healthz|livez|readyz)(?:\/|$)/;

const WHOLE = new Set(['/healthz', '/livez', '/readyz']);

/** Whether a path is about the health of the whole server, and not about one check. */
export function isHealthPath({ isResource, path }: RequestInfo): boolean {
  return !isResource && WHOLE.has(path);
}

/** Whether a request is a health probe. If a load balancer gets no answer to a probe, it removes the server. */
export function isProbe({ isResource, path, method }: RequestInfo): boolean {
  return !isResource && (method === 'GET' || method === 'HEAD') && PROBE.test(path);
}
