import assert from 'node:assert/strict';
import { type Knock, refusalOf } from './gate.ts';

const own = {
  host: '127.0.0.1:4000',
  origin: 'http://127.0.0.1:4000',
  'sec-fetch-site': 'same-origin',
  'x-orch-console': '1',
  'content-type': 'application/json',
};
const without = (name: keyof typeof own) => Object.fromEntries(Object.entries(own).filter(([key]) => key !== name));

const rows: readonly [what: string, knock: Knock, status: number | undefined][] = [
  ['the page', { method: 'GET', path: '/', headers: { host: '127.0.0.1:4000', 'sec-fetch-site': 'none' } }, undefined],
  ['the page by another name of the machine', { method: 'GET', path: '/', headers: { host: '[::1]:4000' } }, undefined],
  ['a call of the page', { method: 'POST', path: '/api/look', headers: own }, undefined],
  ['a stream of the page', { method: 'GET', path: '/api/stream', headers: own }, undefined],
  ['a host name that was bound again', { method: 'GET', path: '/', headers: { host: 'evil.example:4000' } }, 421],
  ['another port', { method: 'GET', path: '/', headers: { host: '127.0.0.1:4001' } }, 421],
  ['no host', { method: 'GET', path: '/', headers: {} }, 421],
  ['another origin', { method: 'POST', path: '/api/look', headers: { ...own, origin: 'http://evil.example' } }, 403],
  ['an origin of no site', { method: 'POST', path: '/api/look', headers: { ...own, origin: 'null' } }, 403],
  [
    'a stream for another site',
    { method: 'GET', path: '/api/stream', headers: { host: own.host, 'sec-fetch-site': 'cross-site' } },
    403,
  ],
  [
    'a page of the same machine on another port',
    { method: 'GET', path: '/api/catalog', headers: { host: own.host, 'sec-fetch-site': 'same-site' } },
    403,
  ],
  [
    'a call that is opened as a page',
    { method: 'GET', path: '/api/catalog', headers: { host: own.host, 'sec-fetch-site': 'none' } },
    403,
  ],
  [
    'a link on another site',
    { method: 'GET', path: '/', headers: { host: own.host, 'sec-fetch-site': 'cross-site' } },
    403,
  ],
  [
    'a frame',
    {
      method: 'GET',
      path: '/',
      headers: { host: own.host, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' },
    },
    403,
  ],
  ['a form', { method: 'POST', path: '/api/look', headers: without('x-orch-console') }, 403],
  [
    'text that says it is a form',
    { method: 'POST', path: '/api/look', headers: { ...own, 'content-type': 'text/plain' } },
    415,
  ],
  ['a method that nothing uses', { method: 'PUT', path: '/api/look', headers: own }, 405],
  ['a write to a file', { method: 'POST', path: '/', headers: own }, 405],
];

describe('who may use the console', () => {
  for (const [what, knock, status] of rows) it(what, () => assert.equal(refusalOf(knock, 4000)?.status, status));
});
