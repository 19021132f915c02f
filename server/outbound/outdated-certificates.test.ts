import assert from 'node:assert/strict';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { CN, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import { openPool } from '#program/connection/open-pool.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { countedCalls, OutdatedCertificates } from './call-metrics.ts';
import { exchange } from './exchange.ts';
import { HttpsPoster } from './https-post.ts';
import { httpsClient } from './https-request.ts';
import { whyFailed } from './why-failed.ts';

describe('servers whose certificate has a host name only in its subject', () => {
  const authority = makeAuthority('test authority');
  const ca = authority.pem;
  let server: https.Server;
  let port: number;

  before(async () => {
    const { pem, keyPem } = makeCertificate({ subject: [[CN, 'localhost']], by: authority, usages: [SERVER_AUTH] });
    server = https.createServer({ cert: pem, key: keyPem }, (_, response) => response.end('never'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const metrics = new MetricSet();
  const counted = countedCalls(metrics);
  const signal = new AbortController().signal;
  const timeoutMs = 20_000;
  const ways: [what: string, call: () => Promise<unknown>, isCounted: boolean][] = [
    [
      'posts',
      () => {
        const where = { host: '127.0.0.1', port, path: '/', serverName: 'localhost' };
        return new HttpsPoster(counted).post({
          ...{ ...where, ca, cert: undefined, key: undefined },
          ...{ headers: {}, body: '{}', timeoutMs, signal },
        });
      },
      true,
    ],
    [
      'requests',
      () =>
        httpsClient(
          { ca, serverName: 'localhost' },
          counted,
        )({
          ...{ url: new URL(`https://127.0.0.1:${port}/`), method: 'GET' as const, headers: {}, timeoutMs },
        }),
      true,
    ],
    [
      'kept connections',
      () => {
        const limits = { connections: 1, connectTimeoutMs: timeoutMs, idleMs: 1000 };
        const pool = openPool(`https://127.0.0.1:${port}`, { ca, serverName: 'localhost' }, limits);
        const request = {
          method: 'GET' as const,
          path: '/',
          headers: {},
          maxBytes: 100,
          headSuffices: false,
          timeoutMs,
          signal,
        };
        return exchange(pool, request).finally(() => pool.destroy());
      },
      false,
    ],
  ];
  const missing = () =>
    metrics.values().find(({ family }) => family.name === 'apiserver_webhooks_x509_missing_san_total')!
      .series[0]![1][0];
  for (const [what, call, isCounted] of ways) {
    it(`are refused: ${what}`, async () => {
      const before = missing()!;
      await assert.rejects(call, (error: Error) => {
        assert.match(whyFailed(error, 'x'), /^x509: certificate relies on legacy Common Name field/);
        return true;
      });
      assert.equal(missing(), before + (isCounted ? 1 : 0));
    });
  }

  it('are counted separately from other untrusted servers', () => {
    const set = new MetricSet();
    const certificates = new OutdatedCertificates(set, 'orch_aggregator');
    const weak = Object.assign(new Error('CA signature digest algorithm too weak'), { code: 'UNSPECIFIED' });
    const other = { code: 'ERR_TLS_CERT_ALTNAME_INVALID', cert: { subjectaltname: 'DNS:other' } };
    for (const error of [weak, Object.assign(new Error('for another'), other), new Error('away')])
      certificates.failed(error);
    assert.deepEqual(
      set.values().map(({ family, series }) => [family.name, series[0]![1][0]]),
      [
        ['apiserver_orch_aggregator_x509_insecure_sha1_total', 1],
        ['apiserver_orch_aggregator_x509_missing_san_total', 0],
      ],
    );
  });
});
