import assert from 'node:assert/strict';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { CN, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import type { WholeAnswer } from './exchange.ts';
import { HttpsPoster } from './https-post.ts';
import { httpsClient } from './https-request.ts';

/** The request that a server received: method, path, body, and the relevant headers. */
interface Seen {
  readonly at: 'first' | 'other';
  readonly line: string;
  readonly body: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
}

describe('redirects of servers that this one asks', () => {
  const { pem, keyPem } = makeCertificate({
    subject: [[CN, 'server']],
    by: makeAuthority('unknown here'),
    usages: [SERVER_AUTH],
    hosts: ['localhost'],
  });
  const servers: https.Server[] = [];
  const seen: Seen[] = [];
  const ports = { first: 0, other: 0 };

  async function serve(at: Seen['at']): Promise<void> {
    const server = https.createServer({ cert: pem, key: keyPem }, async (request, response) => {
      const { method, url = '', headers } = request;
      const { authorization, 'content-type': contentType } = headers;
      seen.push({ at, line: `${method} ${url}`, body: await text(request), authorization, contentType });
      const [, status = '', place = ''] = /^\/to\/(\d+)\/(.*)/.exec(url) ?? [];
      if (status === '') response.end('here');
      else {
        const target = decodeURIComponent(place).replace('OTHER', `https://127.0.0.1:${ports.other}`);
        response.writeHead(Number(status), place === '' ? {} : { location: target }).end('gone');
      }
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    servers.push(server);
    ports[at] = (server.address() as AddressInfo).port;
  }

  before(async () => {
    await serve('first');
    await serve('other');
  });
  beforeEach(() => {
    seen.length = 0;
  });
  after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  const timeoutMs = 20_000;
  const common = { serverName: 'localhost', ca: pem, cert: undefined, key: undefined };
  const headers = { Authorization: 'Bearer t', 'Content-Type': 'application/json' };
  const ways: readonly (readonly [what: string, post: (path: string) => Promise<WholeAnswer>])[] = [
    [
      'a webhook of admission or conversion',
      (path) =>
        new HttpsPoster().post({
          ...{ host: '127.0.0.1', port: ports.first, path, body: '{}', timeoutMs, ...common },
          headers: { ...headers, Host: `webhook.default.svc:${ports.first}` },
          signal: new AbortController().signal,
        }),
    ],
    [
      'another webhook',
      (path) => {
        const url = new URL(`https://127.0.0.1:${ports.first}${path}`);
        return httpsClient(common)({ url, method: 'POST', headers, body: '{}', timeoutMs });
      },
    ],
  ];

  const own = { authorization: 'Bearer t', contentType: 'application/json' };
  const followed: readonly (readonly [path: string, last: Seen])[] = [
    ['/to/307/%2Fb%3Fc', { at: 'first', line: 'POST /b?c', body: '{}', ...own }],
    ['/to/308/OTHER%2Fb', { at: 'other', line: 'POST /b', body: '{}', ...own, authorization: undefined }],
    ['/to/302/%2Fb', { at: 'first', line: 'GET /b', body: '', ...own, contentType: undefined }],
    ['/to/303/OTHER%2Fb', { at: 'other', line: 'GET /b', body: '', authorization: undefined, contentType: undefined }],
  ];
  const refused: readonly (readonly [path: string, why: RegExp])[] = [
    ['/to/307/http%3A%2F%2F127.0.0.1%2F', /^Error: the redirect to "http:\/\/127\.0\.0\.1" leaves TLS$/],
    ['/to/307/https%3A%2F%2F%5B', /^Error: failed to parse Location header "https:\/\/\["$/],
  ];
  for (const [what, post] of ways) {
    for (const [path, last] of followed)
      it(`of ${what} are followed: ${path}`, async () => {
        assert.equal((await post(path)).body.toString(), 'here');
        assert.equal(seen.length, 2);
        assert.deepEqual(seen.at(-1), last);
      });
    for (const [path, why] of refused)
      it(`of ${what} are not followed: ${path}`, () => assert.rejects(post(path), why));
    it(`of ${what} without a place are answers`, async () => assert.equal((await post('/to/302/')).status, 302));
    it(`of ${what} end after ten requests`, async () => {
      await assert.rejects(post(`/to/307/${encodeURIComponent('?')}`), /stopped after 10 redirects/);
      assert.equal(seen.length, 10);
    });
  }
});
