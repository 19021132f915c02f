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

describe('what a bundle of certificates makes believed', () => {
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
    ['its authority and the one above', [between, root], [leaf]],
    ['the first authority, and the server shows the one between', [root], [leaf, between]],
    ['the first authority, and the server shows none between', [root], [leaf], unknown],
    ['the authority between, alone', [between], [leaf]],
    ['the authority between, which the server shows too', [between], [leaf, between]],
    ['the certificate itself, signed by another', [leaf], [leaf]],
    ['the certificate itself, shown with those above', [leaf], [leaf, between, root]],
    ['the certificate itself, of RSA', [ofRsa], [ofRsa]],
    ['the certificate itself, which signs itself', [alone], [alone]],
    ['the certificate itself, which signs itself though it may sign nothing', [noSigner], [noSigner]],
    ['the certificate itself, after others', [other, leaf], [leaf]],
    ['another authority', [other], [leaf, between], unknown],
    ['another certificate of that name', [sameName], [leaf], unknown],
    ['another certificate of that key', [sameKey], [leaf], unknown],
    [
      'a certificate of a server, which signs nothing',
      [sameName],
      [makeCertificate({ ...wish, by: sameName })],
      unknown,
    ],
    ['the certificate itself, which has expired', [expired], [expired], /expired/],
    ['the certificate itself, which is not valid yet', [early], [early], /not yet valid/],
    ['the certificate itself, which is for another name', [misnamed], [misnamed], /not localhost/],
    ['the certificate itself, which is for clients', [forClients], [forClients], /purpose/],
  ];
  for (const [bundle, holds, shown, error] of cases)
    it(`${error === undefined ? 'a server' : 'no server'}: ${bundle}`, async () => {
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
