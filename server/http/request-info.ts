import type { RequestInfo } from './request-context.ts';

const VERBS: Record<string, [string, string]> = {
  // method: [verb on one object, verb on a collection]
  GET: ['get', 'list'],
  HEAD: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/** Whether a flag in the query counts as set: present and not `0`, `f`, `false` in any case. */
export function flag(values: string | null): boolean {
  if (values === null) return false;
  const text = values.toLowerCase();
  return text !== '0' && text !== 'false' && text !== 'f';
}

function nonResource(method: string, path: string): RequestInfo {
  return {
    isResource: false,
    path,
    verb: method.toLowerCase(),
    method,
    apiPrefix: '',
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
    deprecatedWatch: false,
  };
}

/** Decodes each segment; undefined where the escapes are malformed. */
function segments(path: string): string[] | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  if (!path.includes('%')) return parts;
  try {
    return parts.map((part) => decodeURIComponent(part));
  } catch {
    return undefined;
  }
}

/**
 * Reads verb, group, version, namespace, resource, subresource and name off a request line (spec, "Path shapes" and
 * "Operations and request verbs"). Paths outside `/api/V/...` and `/apis/G/V/...` are non-resource requests.
 */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = segments(path);
  if (parts === undefined || parts.length < 3 || (parts[0] !== 'api' && parts[0] !== 'apis')) {
    return nonResource(method, path);
  }
  const apiPrefix = parts[0];
  if (apiPrefix === 'apis' && parts.length < 4) return nonResource(method, path);
  const group = apiPrefix === 'apis' ? parts[1]! : '';
  const version = apiPrefix === 'apis' ? parts[2]! : parts[1]!;
  let rest = parts.slice(apiPrefix === 'apis' ? 3 : 2);

  const deprecatedWatch = rest[0] === 'watch' && rest.length > 1;
  if (deprecatedWatch) rest = rest.slice(1);

  let namespace = '';
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1]!;
    // `namespaces/N` and its own subresources are about the namespace itself
    if (rest.length > 2 && !NAMESPACE_SUBRESOURCES.has(rest[2]!)) rest = rest.slice(2);
  }
  const [resource = '', name = '', subresource = ''] = rest;

  const [single, many] = VERBS[method] ?? [method.toLowerCase(), method.toLowerCase()];
  let verb = name === '' ? many : single;
  const watching = deprecatedWatch || flag(query.get('watch'));
  if (watching && (method === 'GET' || method === 'HEAD') && subresource === '') verb = 'watch';
  return {
    isResource: true,
    path,
    verb,
    method,
    apiPrefix,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    parts: rest,
    deprecatedWatch,
  };
}
