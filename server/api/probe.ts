import type { RequestInfo } from './request-context.ts';

const PROBE = /^\/(?:healthz|livez|readyz)(?:\/|$)/;

const WHOLE = new Set(['/healthz', '/livez', '/readyz']);

/** Whether a path is the health of the whole server, not of one check. */
export function isHealthPath({ isResource, path }: RequestInfo): boolean {
  return !isResource && WHOLE.has(path);
}

/** Whether a request asks how the server is: load balancers that hear nothing else take the server out. */
export function isProbe({ isResource, path, method }: RequestInfo): boolean {
  return !isResource && (method === 'GET' || method === 'HEAD') && PROBE.test(path);
}
