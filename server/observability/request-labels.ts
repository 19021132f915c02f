import { isHealthPath } from '../api/probe.ts';
import type { RequestInfo } from '../api/request-context.ts';

/** Methods that have a name of their own. A HEAD is the GET that it stands for. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['HEAD', 'GET'],
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, method] as const),
]);

const APPLIED = 'application/apply-patch+yaml';

/**
 * The verb that metrics show of a request: its method as dashboards of this field ask for it, told apart where one
 * method is for several things. `contentType` is the header's value.
 */
export function shownVerb({ isResource, verb, method }: RequestInfo, contentType: string | undefined): string {
  if (isResource && verb === 'list') return 'LIST';
  if (isResource && verb === 'watch') return 'WATCH';
  if (isResource && method === 'PATCH' && contentType === APPLIED) return 'APPLY';
  return METHODS.get(method) ?? 'other';
}

/** Which part of the API a request was about. */
export function shownScope(info: RequestInfo): string {
  if (!info.isResource) return '';
  if (info.name !== '' || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}

/** Who answered, and the path where that is one of those that are always there. */
export function shownPath(info: RequestInfo): { readonly component: string; readonly subresource: string } {
  return isHealthPath(info) ? { component: '', subresource: info.path } : { component: 'apiserver', subresource: '' };
}

/** What a request asks not to be done, as it is shown: what cannot be asked for counts together. */
export function shownDryRun(query: URLSearchParams): string {
  const asked = query.getAll('dryRun').filter((value) => value !== '');
  if (asked.length === 0) return '';
  return asked.every((value) => value === 'All') ? 'All' : 'invalid';
}
