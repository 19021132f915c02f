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
  [
    'allows the page',
    { method: 'GET', path: '/', headers: { host: '127.0.0.1:4000', 'sec-fetch-site': 'none' } },
    undefined,
  ],
  [
    'allows the page under another loopback address',
    { method: 'GET', path: '/', headers: { host: '[::1]:4000' } },
    undefined,
  ],
  ['allows a call of the page', { method: 'POST', path: '/api/look', headers: own }, undefined],
  ['allows a stream of the page', { method: 'GET', path: '/api/stream', headers: own }, undefined],
  [
    'refuses another host name (DNS rebinding)',
    { method: 'GET', path: '/', headers: { host: 'evil.example:4000' } },
    421,
  ],
  ['refuses another port', { method: 'GET', path: '/', headers: { host: '127.0.0.1:4001' } }, 421],
  ['refuses a request without a host', { method: 'GET', path: '/', headers: {} }, 421],
  [
    'refuses another origin',
    { method: 'POST', path: '/api/look', headers: { ...own, origin: 'http://evil.example' } },
    403,
  ],
  ['refuses the origin null', { method: 'POST', path: '/api/look', headers: { ...own, origin: 'null' } }, 403],
  [
    'refuses a stream for another site',
    { method: 'GET', path: '/api/stream', headers: { host: own.host, 'sec-fetch-site': 'cross-site' } },
    403,
  ],
  [
    'refuses a page on another port of the same machine',
    { method: 'GET', path: '/api/catalog', headers: { host: own.host, 'sec-fetch-site': 'same-site' } },
    403,
  ],
  [
    'refuses an API call that is opened as a page',
    { method: 'GET', path: '/api/catalog', headers: { host: own.host, 'sec-fetch-site': 'none' } },
    403,
  ],
  [
    'refuses a link from another site',
    { method: 'GET', path: '/', headers: { host: own.host, 'sec-fetch-site': 'cross-site' } },
    403,
  ],
  [
    'refuses a frame',
    {
      method: 'GET',
      path: '/',
      headers: { host: own.host, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' },
    },
    403,
  ],
  [
    'refuses a call without the header of the console',
    { method: 'POST', path: '/api/look', headers: without('x-orch-console') },
    403,
  ],
  [
    'refuses a body of type text/plain',
    { method: 'POST', path: '/api/look', headers: { ...own, 'content-type': 'text/plain' } },
    415,
  ],
  ['refuses a method that is not used', { method: 'PUT', path: '/api/look', headers: own }, 405],
  ['refuses a write to a file', { method: 'POST', path: '/', headers: own }, 405],
];

describe('access control of the console', () => {
  for (const [what, knock, status] of rows) it(what, () => assert.equal(refusalOf(knock, 4000)?.status, status));
});
