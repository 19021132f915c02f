import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import {
  type CertificateWish,
  CLIENT_AUTH,
  CN,
  type MadeCertificate,
  makeAuthority,
  makeCertificate,
  SERVER_AUTH,
} from '#base/x509/make-certificate.ts';
import { tlsOptions } from './kept-connections.ts';

describe('the certificates that a client trusts with a CA bundle', () => {
  const root = makeAuthority('root');
  const between = makeCertificate({ subject: [[CN, 'between']], by: root, ca: true });
  const other = makeAuthority('other');
  const wish: CertificateWish = { subject: [[CN, 'server']], usages: [SERVER_AUTH], hosts: ['localhost'] };
  const leaf = makeCertificate({ ...wish, by: between });
  const alone = makeCertificate(wish);
  const noSigner = makeCertificate({ ...wish, ca: false, keyUsage: 0x80 });
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ofRsa = makeCertificate({ ...wish, key, by: root });
  const expired = makeCertificate({ ...wish, by: root, from: -2, to: -1 });
  const early = makeCertificate({ ...wish, by: root, from: 1, to: 2 });
  const misnamed = makeCertificate({ ...wish, by: root, hosts: ['elsewhere'] });
  const forClients = makeCertificate({ ...wish, by: root, usages: [CLIENT_AUTH] });
  const sameName = makeCertificate({ ...wish, by: root });
  const sameKey = makeCertificate({ ...wish, by: other, key: leaf.key });

  type Case = [bundle: string, holds: readonly MadeCertificate[], shown: readonly MadeCertificate[], error?: RegExp];
  const unknown = /unable to|self-signed|unknown/;
  const cases: readonly Case[] = [
    ['the intermediate CA and the root CA', [between, root], [leaf]],
    ['the root CA and the server sends the intermediate CA', [root], [leaf, between]],
    ['only the root CA and the server sends no intermediate CA', [root], [leaf], unknown],
    ['only the intermediate CA', [between], [leaf]],
    ['the intermediate CA and the server sends it too', [between], [leaf, between]],
    ["the server's own certificate, signed by a CA", [leaf], [leaf]],
    ["the server's own certificate and the server sends its CAs too", [leaf], [leaf, between, root]],
    ["the server's own RSA certificate", [ofRsa], [ofRsa]],
    ["the server's own self-signed certificate", [alone], [alone]],
    ["the server's own self-signed certificate that is not a CA", [noSigner], [noSigner]],
    ["the server's own certificate after another one", [other, leaf], [leaf]],
    ['another CA', [other], [leaf, between], unknown],
    ['another certificate with the same name', [sameName], [leaf], unknown],
    ['another certificate with the same key', [sameKey], [leaf], unknown],
    ['a certificate that signed it but is not a CA', [sameName], [makeCertificate({ ...wish, by: sameName })], unknown],
    ["the server's own certificate, but it has expired", [expired], [expired], /expired/],
    ["the server's own certificate, but it is not valid yet", [early], [early], /not yet valid/],
    ["the server's own certificate, but for another host", [misnamed], [misnamed], /not localhost/],
    ["the server's own certificate, but for clients", [forClients], [forClients], /purpose/],
  ];
  for (const [bundle, holds, shown, error] of cases)
    it(`${error === undefined ? 'accepts' : 'refuses'} the server if the bundle has ${bundle}`, async () => {
      const server = createServer({ cert: shown.map(({ pem }) => pem).join(''), key: shown[0]!.keyPem });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const trust = { ca: holds.map(({ pem }) => pem).join(''), serverName: 'localhost' };
      const socket = connect({ host: '127.0.0.1', port, ...tlsOptions(trust) });
      try {
        if (error === undefined) await once(socket, 'secureConnect');
        else await assert.rejects(once(socket, 'secureConnect'), error);
      } finally {
        socket.destroy();
        server.close();
      }
    });
});
