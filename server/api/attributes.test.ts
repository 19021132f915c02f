import assert from 'node:assert/strict';
import { attributesOf } from './attributes.ts';
import type { RequestContext } from './request-context.ts';
import { requestInfo } from './request-info.ts';

function attributes(method: string, url: string) {
  const { pathname, searchParams: query } = new URL(url, 'http://server');
  const info = requestInfo(method, pathname, query);
  const { user: _, path: __, ...rest } = attributesOf({ info, query, user: undefined } as unknown as RequestContext);
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '' && value !== true));
}

describe('attributesOf', () => {
  const core = { version: 'v1', resource: 'pods', namespace: 'a' };
  const selecting = (rawSelector: string) => ({ fieldSelector: { rawSelector } });
  const cases: [request: string, attributes: Record<string, unknown>][] = [
    ['GET /api/v1/namespaces/a/pods/p', { ...core, verb: 'get', name: 'p' }],
    ['GET /api/v1/namespaces/a/pods/p/log', { ...core, verb: 'get', name: 'p', subresource: 'log' }],
    ['GET /api/v1/namespaces/a/pods', { ...core, verb: 'list' }],
    ['GET /api/v1/namespaces/a/pods?watch=1', { ...core, verb: 'watch' }],
    [
      'GET /api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp',
      { ...core, ...selecting('metadata.name=p'), verb: 'list', name: 'p' },
    ],
    [
      'GET /api/v1/namespaces/a/pods?fieldSelector=spec.x%3Dy,metadata.name%3Dp',
      { ...core, ...selecting('spec.x=y,metadata.name=p'), verb: 'list', name: 'p' },
    ],
    [
      'GET /api/v1/namespaces/a/pods?fieldSelector=metadata.name!%3Dp',
      { ...core, ...selecting('metadata.name!=p'), verb: 'list' },
    ],
    [
      'GET /api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Da%2Fb',
      { ...core, ...selecting('metadata.name=a/b'), verb: 'list' },
    ],
    ['GET /api/v1/namespaces/a/pods?fieldSelector=nonsense', { ...core, ...selecting('nonsense'), verb: 'list' }],
    [
      'GET /api/v1/namespaces/a/pods?labelSelector=a%3Db',
      { ...core, verb: 'list', labelSelector: { rawSelector: 'a=b' } },
    ],
    ['GET /api/v1/namespaces/a/pods/p?fieldSelector=x', { ...core, verb: 'get', name: 'p' }],
    [
      'DELETE /api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp',
      { ...core, ...selecting('metadata.name=p'), verb: 'deletecollection' },
    ],
    [
      'PUT /apis/apps/v1/namespaces/a/deployments/d',
      { ...core, group: 'apps', resource: 'deployments', verb: 'update', name: 'd' },
    ],
    ['POST /healthz', { isResource: false, verb: 'post' }],
  ];
  for (const [request, expected] of cases) {
    it(`reads ${request}`, () => {
      const [method = '', url = ''] = request.split(' ');
      assert.deepEqual(attributes(method, url), expected);
    });
  }
});
