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

describe('visitors with a certificate', () => {
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
    ['that an authority has signed', made(authority), 'operator'],
    ['that stands in the bundle itself', pinned, 'operator'],
    ['that stands in the bundle itself and has expired', past, 'system:anonymous'],
    ['that a stranger has signed', made(stranger), 'system:anonymous'],
    ['that what stands in the bundle has signed', made(pinned), 'system:anonymous'],
  ];
  for (const [what, shown, name] of cases)
    it(what, async () => {
      const peer = { raw: shown.der, subject: { CN: 'operator' } };
      const request = { headers: {}, socket: { getPeerCertificate: () => peer } } as unknown as IncomingMessage;
      assert.equal((await visitors.identify(request))?.name, name);
    });
});
