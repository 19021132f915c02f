import assert from 'node:assert/strict';
import type { RequestInfo } from './request-context.ts';
import { requestInfo } from './request-info.ts';

/** The parsed request line, without empty members. */
function read(line: string): Partial<RequestInfo> {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', query = ''] = target.split('?');
  const { verb, group, version, namespace, resource, subresource, name, isResource, ...rest } = requestInfo(
    method,
    path,
    new URLSearchParams(query),
  );
  const about = isResource
    ? { verb, group, version, namespace, resource, subresource, name }
    : { verb, path: rest.path };
  const set = Object.entries({ ...about, hasGaps: rest.hasGaps, deprecatedWatch: rest.deprecatedWatch });
  return Object.fromEntries(set.filter(([, value]) => value !== '' && value !== false));
}

describe('requestInfo', () => {
  const pods = { version: 'v1', resource: 'pods' };
  const inA = { ...pods, namespace: 'a' };
  const table: Record<string, Partial<RequestInfo>> = {
    'GET /api/v1/pods': { ...pods, verb: 'list' },
    'GET /api/v1/pods/': { ...pods, verb: 'list' },
    'GET //api/v1/pods//': { ...pods, verb: 'list' },
    'HEAD /api/v1/namespaces/a/pods/p': { ...inA, verb: 'get', name: 'p' },
    'DELETE /api/v1/namespaces/a/pods': { ...inA, verb: 'deletecollection' },
    'GET /api/v1/namespaces/a': { version: 'v1', resource: 'namespaces', namespace: 'a', name: 'a', verb: 'get' },
    'PUT /api/v1/namespaces/a/finalize': {
      version: 'v1',
      resource: 'namespaces',
      namespace: 'a',
      name: 'a',
      subresource: 'finalize',
      verb: 'update',
    },
    'GET /apis/g/v2/things/t/status': {
      group: 'g',
      version: 'v2',
      resource: 'things',
      name: 't',
      subresource: 'status',
      verb: 'get',
    },
    'OPTIONS /api/v1/pods': pods,
    'BREW /api/v1': { verb: 'brew', path: '/api/v1' },
    // Escapes are decoded before the path is split.
    'GET /api/v1/namespaces/a/pods/x%20y': { ...inA, name: 'x y', verb: 'get' },
    'GET /api/v1/namespaces/a/pods/x%2Fy': { ...inA, name: 'x', subresource: 'y', verb: 'get' },
    'GET /api%2Fv1%2Fpods': { ...pods, verb: 'list' },
    'GET /some%20path': { verb: 'get', path: '/some path' },
    // A path is never shortened.
    'GET /api/v1/../v1/pods': { version: 'v1', resource: '..', name: 'v1', subresource: 'pods', verb: 'get' },
    'GET /api//v1': { resource: 'v1', verb: 'list', hasGaps: true },
    'GET /api/v1/namespaces//pods': { ...pods, verb: 'list' },
    'GET /api/v1/namespaces//pods/p': { ...pods, name: 'p', verb: 'get' },
    'GET /api/v1/namespaces///p': { version: 'v1', name: 'p', verb: 'get', hasGaps: true },
    'GET /api/v1//pods': { version: 'v1', name: 'pods', verb: 'get', hasGaps: true },
    'GET /api/v1/namespaces/a/pods/%ff%C3%A9': { ...inA, name: '\ufffdé', verb: 'get' },
    'GET /api/v1/namespaces/a/pods//log': { ...inA, subresource: 'log', verb: 'list', hasGaps: true },
    'GET /api/v1/namespaces/a/pods/p/proxy//x': { ...inA, name: 'p', subresource: 'proxy', verb: 'get' },
    // Watches.
    'GET /api/v1/pods?watch=1': { ...pods, verb: 'watch' },
    'GET /api/v1/namespaces/a/pods/p?watch=true': { ...inA, name: 'p', verb: 'watch' },
    'GET /api/v1/pods?watch=False': { ...pods, verb: 'list' },
    'GET /api/v1/pods?watch=f': { ...pods, verb: 'watch' },
    'POST /api/v1/namespaces/a/pods?watch=1': { ...inA, verb: 'create' },
    // The verb is in the path.
    'GET /api/v1/watch/namespaces/a/pods/p': { ...inA, name: 'p', verb: 'watch', deprecatedWatch: true },
    'POST /api/v1/watch/pods': { ...pods, verb: 'watch', deprecatedWatch: true },
    'GET /api/v1/proxy/namespaces/a/pods/p/log': { ...inA, name: 'p', verb: 'proxy' },
    'GET /api/v1/proxy/nodes/n?watch=1': { version: 'v1', resource: 'nodes', name: 'n', verb: 'proxy' },
    'GET /api/v1/watch': { version: 'v1', resource: 'watch', verb: 'list' },
    // These are not resources.
    'GET /': { verb: 'get', path: '/' },
    'POST /api/v1': { verb: 'post', path: '/api/v1' },
    'GET /apis/g/v1': { verb: 'get', path: '/apis/g/v1' },
    'GET /API/v1/pods': { verb: 'get', path: '/API/v1/pods' },
  };
  for (const [line, expected] of Object.entries(table)) it(line, () => assert.deepEqual(read(line), expected));
});
