import { isHealthPath } from '../api/probe.ts';
import type { RequestInfo } from '../api/request-context.ts';

/** Methods with a separate name in metrics. A HEAD counts as a GET. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['HEAD', 'GET'],
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, method] as const),
]);

const APPLIED = 'application/apply-patch+yaml';

/**
 * The verb of a request in metrics. It is the method, as dashboards of this field expect. If a method has several uses,
 * each use has a separate verb. `contentType` is the header's value.
 */
export function shownVerb({ isResource, verb, method }: RequestInfo, contentType: string | undefined): string {
  if (isResource && verb === 'list') return 'LIST';
  if (isResource && verb === 'watch') return 'WATCH';
  if (isResource && method === 'PATCH' && contentType === APPLIED) return 'APPLY';
  return METHODS.get(method) ?? 'other';
}

/** The scope of a request in metrics. */
export function shownScope(info: RequestInfo): string {
  if (!info.isResource) return '';
  if (info.name !== '' || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}

/** The component that answered, and the path if it is one of the fixed paths. */
export function shownPath(info: RequestInfo): { readonly component: string; readonly subresource: string } {
  return isHealthPath(info) ? { component: '', subresource: info.path } : { component: 'apiserver', subresource: '' };
}

/** The value of `dryRun` that metrics show. All values that are not allowed count together. */
export function shownDryRun(query: URLSearchParams): string {
  const asked = query.getAll('dryRun').filter((value) => value !== '');
  if (asked.length === 0) return '';
  return asked.every((value) => value === 'All') ? 'All' : 'invalid';
}
