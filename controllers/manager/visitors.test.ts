import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  type CertificateWish,
  CLIENT_AUTH,
  CN,
  type MadeCertificate,
  makeAuthority,
  makeCertificate,
} from '#base/x509/make-certificate.ts';
import { Visitors } from './visitors.ts';

describe('clients of the controller manager with a certificate', () => {
  const authority = makeAuthority('authority');
  const stranger = makeAuthority('stranger');
  const made = (by: MadeCertificate, more: Partial<CertificateWish> = {}) =>
    makeCertificate({ subject: [[CN, 'operator']], by, usages: [CLIENT_AUTH], ...more });
  const pinned = made(stranger);
  const past = made(stranger, { from: -2, to: -1 });
  const never = () => assert.fail('no request is expected');
  const visitors = new Visitors({
    authentication: { resource: never } as never,
    authorization: { resource: never } as never,
    authorities: () => ({
      client: [authority, pinned, past].map(({ pem }) => new X509Certificate(pem)),
      ...{ proxy: [], proxyNames: [], userHeaders: [], groupHeaders: [], extraPrefixes: [] },
    }),
    ...{ tokenTtlMs: 0, allowedTtlMs: 0, deniedTtlMs: 0, openPaths: [] },
  });

  const cases: [what: string, shown: MadeCertificate, name: string][] = [
    ['a certificate signed by a CA of the bundle is accepted', made(authority), 'operator'],
    ['a certificate that is in the bundle itself is accepted', pinned, 'operator'],
    ['an expired certificate that is in the bundle is anonymous', past, 'system:anonymous'],
    ['a certificate signed by another CA is anonymous', made(stranger), 'system:anonymous'],
    [
      'a certificate signed by a certificate of the bundle that is not a CA is anonymous',
      made(pinned),
      'system:anonymous',
    ],
  ];
  for (const [what, shown, name] of cases)
    it(what, async () => {
      const peer = { raw: shown.der, subject: { CN: 'operator' } };
      const request = { headers: {}, socket: { getPeerCertificate: () => peer } } as unknown as IncomingMessage;
      assert.equal((await visitors.identify(request))?.name, name);
    });
});
