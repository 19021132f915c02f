import assert from 'node:assert/strict';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { CN, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import { HttpsPoster } from './https-post.ts';
import { httpsClient } from './https-request.ts';

describe('a server whose certificate is the only one in the CA bundle', () => {
  const { pem, keyPem } = makeCertificate({
    subject: [[CN, 'server']],
    by: makeAuthority('unknown here'),
    usages: [SERVER_AUTH],
    hosts: ['localhost'],
  });
  let server: https.Server;
  let port: number;

  before(async () => {
    server = https.createServer({ cert: pem, key: keyPem }, (_, response) => response.end('here'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const timeoutMs = 20_000;
  const common = { serverName: 'localhost', ca: pem, cert: undefined, key: undefined };
  const ways: [what: string, call: () => Promise<{ readonly body: Buffer }>][] = [
    [
      'as a webhook of admission or conversion',
      () =>
        new HttpsPoster().post({
          ...{ host: '127.0.0.1', port, path: '/', headers: {}, body: '{}', timeoutMs, ...common },
          signal: new AbortController().signal,
        }),
    ],
    [
      'as a webhook of tokens, rights, images or audit, or as an issuer of tokens',
      () => httpsClient(common)({ url: new URL(`https://127.0.0.1:${port}/`), method: 'GET', headers: {}, timeoutMs }),
    ],
  ];
  for (const [what, call] of ways)
    it(`is trusted ${what}`, async () => assert.equal((await call()).body.toString(), 'here'));
});
