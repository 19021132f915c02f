import { table } from '#base/collections/own-properties.ts';
import type { RequestInfo } from './request-context.ts';

const SLASH = 0x2f;

const ESCAPE = /%([0-9a-f]{2})/i;

const VERBS: Record<string, [string, string]> = table({
  // method: [verb on one object, verb on a collection]
  GET: ['get', 'list'],
  HEAD: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
});

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/** Old forms of paths have the verb before the resource. There is no answer to `proxy` in such a path any more. */
const VERBS_IN_PATHS = new Set(['watch', 'proxy']);

/** Whether a flag of the query is set. It must be present, and must not be `0` or `false` in upper or lower case. */
export function flag(values: string | null): boolean {
  if (values === null) return false;
  const text = values.toLowerCase();
  return text !== '0' && text !== 'false';
}

function nonResource(method: string, path: string, rawPath: string): RequestInfo {
  return {
    isResource: false,
    path,
    rawPath,
    verb: method.toLowerCase(),
    method,
    apiPrefix: '',
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    inNamespace: false,
    parts: [],
    hasGaps: false,
    deprecatedWatch: false,
  };
}

/** The path with decoded escapes. Bytes that are not UTF-8 become U+FFFD, which occurs in no name. */
function unescaped(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    const bytes = path.split(ESCAPE).map((part, i) => Buffer.from(part, i % 2 === 1 ? 'hex' : 'utf8'));
    return Buffer.concat(bytes).toString();
  }
}

/** The segments of a path, without slashes at its ends. */
function segments(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === SLASH) start++;
  while (end > start && path.charCodeAt(end - 1) === SLASH) end--;
  return start === end ? [] : path.slice(start, end).split('/');
}

/** Whether a segment up to the subresource is empty, except the namespace. `rest` begins with the resource. */
function hasGaps(all: readonly string[], rest: readonly string[], inNamespace: boolean): boolean {
  const end = all.length - Math.max(0, rest.length - 3);
  const namespaceAt = inNamespace ? all.length - rest.length - 1 : -1;
  for (let i = all.indexOf(''); i >= 0 && i < end; i = all.indexOf('', i + 1)) if (i !== namespaceAt) return true;
  return false;
}

/**
 * Reads verb, group, version, namespace, resource, subresource and name from a request line. GET of one object is
 * `get`, and of a collection `list`. With `?watch` both are `watch`. DELETE of a collection is `deletecollection`.
 * Paths outside `/api/V/...` and `/apis/G/V/...` are non-resource requests. Escapes are decoded before the path is
 * split, so `%2F` separates segments like `/`.
 */
export function requestInfo(method: string, rawPath: string, query: URLSearchParams): RequestInfo {
  const path = unescaped(rawPath);
  const all = segments(path);
  const [apiPrefix = ''] = all;
  const grouped = apiPrefix === 'apis';
  if (!grouped && apiPrefix !== 'api') return nonResource(method, path, rawPath);
  if (all.length < (grouped ? 4 : 3)) return nonResource(method, path, rawPath);
  const group = grouped ? all[1]! : '';
  const version = all[grouped ? 2 : 1]!;
  let rest = all.slice(grouped ? 3 : 2);

  const verbInPath = rest.length > 1 && VERBS_IN_PATHS.has(rest[0]!) ? rest[0] : undefined;
  if (verbInPath !== undefined) rest = rest.slice(1);

  let namespace = '';
  let inNamespace = false;
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1]!;
    // `namespaces/N` and its subresources are requests about the namespace itself.
    inNamespace = rest.length > 2 && !NAMESPACE_SUBRESOURCES.has(rest[2]!);
    if (inNamespace) rest = rest.slice(2);
  }
  const [resource = '', name = '', third = ''] = rest;
  const subresource = verbInPath === 'proxy' ? '' : third;

  const [single, many] = VERBS[method] ?? ['', ''];
  const watching = (method === 'GET' || method === 'HEAD') && subresource === '' && flag(query.get('watch'));
  const verb = verbInPath ?? (watching ? 'watch' : name === '' ? many : single);
  return {
    isResource: true,
    path,
    rawPath,
    verb,
    method,
    apiPrefix,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    inNamespace,
    parts: rest,
    hasGaps: hasGaps(all, rest, inNamespace),
    deprecatedWatch: verbInPath === 'watch',
  };
}
