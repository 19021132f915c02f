import assert from 'node:assert/strict';
import { requestInfo } from '../api/request-info.ts';
import { shownPath, shownScope, shownVerb } from './request-labels.ts';

describe('the metric labels of a request', () => {
  const PODS = '/api/v1/namespaces/a/pods';

  /** Verb, scope, and the path if it is one of the fixed ones. */
  const table: Readonly<Record<string, string>> = {
    [`GET ${PODS}`]: 'LIST namespace',
    [`HEAD ${PODS}`]: 'LIST namespace',
    [`GET ${PODS}?watch=1`]: 'WATCH namespace',
    'GET /api/v1/pods': 'LIST cluster',
    'GET /api/v1/watch/pods': 'WATCH cluster',
    [`GET ${PODS}/p`]: 'GET resource',
    [`GET ${PODS}/p?watch=1`]: 'WATCH resource',
    [`HEAD ${PODS}/p`]: 'GET resource',
    [`GET ${PODS}/p/log`]: 'GET resource',
    [`POST ${PODS}`]: 'POST resource',
    [`POST ${PODS}/p/exec`]: 'POST resource',
    [`PUT ${PODS}/p`]: 'PUT resource',
    [`PATCH ${PODS}/p`]: 'PATCH resource',
    [`PATCH ${PODS}/p application/apply-patch+yaml`]: 'APPLY resource',
    [`DELETE ${PODS}/p`]: 'DELETE resource',
    [`DELETE ${PODS}`]: 'DELETE namespace',
    [`BREW ${PODS}/p`]: 'other resource',
    'OPTIONS /healthz': 'other of /healthz',
    'GET /healthz': 'GET of /healthz',
    'POST /livez': 'POST of /livez',
    'GET /readyz': 'GET of /readyz',
    'GET /readyz/ping': 'GET of apiserver',
    'GET /version': 'GET of apiserver',
    'PATCH /version application/apply-patch+yaml': 'PATCH of apiserver',
    'GET /api/v1/namespaces/a/healthz': 'LIST namespace',
  };
  for (const [line, shown] of Object.entries(table)) {
    it(`${line}: ${shown}`, () => {
      const [method = '', target = '', type] = line.split(' ');
      const [path = '', query = ''] = target.split('?');
      const info = requestInfo(method, path, new URLSearchParams(query));
      const { component, subresource } = shownPath(info);
      const where = info.isResource ? shownScope(info) : `of ${component || subresource}`;
      assert.equal(`${shownVerb(info, type)} ${where}`, shown);
    });
  }
});
