import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  CLIENT_AUTH,
  CN,
  type MadeCertificate,
  makeAuthority,
  makeCertificate,
  SERVER_AUTH,
} from '#base/x509/make-certificate.ts';
import { startReplica } from '#server/testing/replica.ts';
import { EtcdProcess, freePort, type MutualTls } from '#storage-etcd/testing/etcd-process.ts';

describe('mutual TLS between a replica and etcd', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'etcd-tls-'));
  const put = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const authority = makeAuthority('etcd-ca');
  const stranger = makeAuthority('another-ca');
  const certificate = (name: string, by: MadeCertificate, usages: readonly string[]) => {
    const made = makeCertificate({ subject: [[CN, name]], by, usages, ips: ['127.0.0.1'] });
    return { certFile: put(`${name}.crt`, made.pem), keyFile: put(`${name}.key`, made.keyPem) };
  };
  const caFile = put('ca.crt', authority.pem);
  const wrongCaFile = put('wrong-ca.crt', stranger.pem);
  const tls: MutualTls = { caFile, ...certificate('etcd', authority, [SERVER_AUTH, CLIENT_AUTH]) };
  const client = certificate('apiserver', authority, [CLIENT_AUTH]);
  const wrongClient = certificate('somebody', stranger, [CLIENT_AUTH]);
  const flags = (ca: string, { certFile, keyFile } = client): string[] => [
    `--etcd-cafile=${ca}`,
    `--etcd-certfile=${certFile}`,
    `--etcd-keyfile=${keyFile}`,
  ];
  let etcd: EtcdProcess;

  before(async () => {
    etcd = await EtcdProcess.start({ tls });
  });

  after(async () => {
    await etcd.stop();
    rmSync(folder, { recursive: true });
  });

  it('works with a bundle that has only the certificate of etcd', async () => {
    const replica = await startReplica(etcd.endpoint, ...flags(tls.certFile));
    assert.equal((await replica.call('GET', '/readyz')).status, 200);
    await replica.stop();
  });

  it('works for reads, writes and watches, even if one listed member is down', async () => {
    const down = `https://127.0.0.1:${await freePort()}`;
    const replica = await startReplica(`${down},${etcd.endpoint}`, ...flags(caFile));
    try {
      const maps = '/api/v1/namespaces/default/configmaps';
      const events: string[] = [];
      const watch = await replica.watch(`${maps}?watch=1`, ({ object }) => events.push(object.metadata.name));
      for (let i = 0; i < 20; i++) {
        const body = { metadata: { name: `m${i}` } };
        assert.equal((await replica.call('POST', maps, { body })).status, 201);
      }
      assert.equal((await replica.call('GET', maps)).json.items.length, 20);
      assert.equal((await replica.call('GET', '/readyz')).status, 200);
      const giveUpAt = Date.now() + 30_000;
      while (events.length < 20 && Date.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 10));
      assert.equal(events.length, 20);
      watch.close();
    } finally {
      await replica.stop();
    }
  });

  it('continues with renewed certificates of another CA without a restart', async () => {
    const next = makeAuthority('next-ca');
    const both = put('both.crt', authority.pem + next.pem);
    const rolling = await EtcdProcess.start({ tls: { ...tls, caFile: both } });
    const mine = certificate('rolling', authority, [CLIENT_AUTH]);
    const trusted = put('rolling-ca.crt', authority.pem);
    const replica = await startReplica(rolling.endpoint, ...flags(trusted, mine));
    try {
      await rolling.kill();
      // From here on, etcd trusts and presents only the next authority.
      put('both.crt', next.pem);
      const served = makeCertificate({
        subject: [[CN, 'etcd']],
        by: next,
        usages: [SERVER_AUTH, CLIENT_AUTH],
        ips: ['127.0.0.1'],
      });
      put('etcd.crt', served.pem);
      put('etcd.key', served.keyPem);
      const renewed = makeCertificate({ subject: [[CN, 'rolling']], by: next, usages: [CLIENT_AUTH] });
      put('rolling.key', renewed.keyPem);
      rolling.launch();
      // While the certificate and the key do not belong together, the replica uses the previous pair.
      await new Promise((resolve) => setTimeout(resolve, 500));
      put('rolling.crt', renewed.pem);
      put('rolling-ca.crt', next.pem);
      await rolling.ready();
      // If this never happens, mocha's time limit ends the test.
      while ((await replica.call('GET', '/readyz')).status !== 200) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const body = { metadata: { name: 'renewed' } };
      assert.equal((await replica.call('POST', '/api/v1/namespaces/default/configmaps', { body })).status, 201);
    } finally {
      await replica.stop();
      await rolling.stop();
    }
  }).timeout(60_000);

  const refused: [what: string, more: string[], why: RegExp][] = [
    ['another CA', flags(wrongCaFile), /etcd does not answer.*certificate/],
    ['no client certificate', [`--etcd-cafile=${caFile}`], /etcd does not answer/],
    ['a client certificate of another CA', flags(caFile, wrongClient), /etcd does not answer/],
    ['a missing file', flags(path.join(folder, 'none.crt')), /--etcd-cafile.*none\.crt/],
    ['a file that is not a certificate', flags(client.keyFile), /--etcd-cafile.*apiserver\.key/],
    ['a key that does not match the certificate', flags(caFile, { ...client, keyFile: tls.keyFile }), /--etcd-keyfile/],
  ];
  for (const [what, more, why] of refused) {
    it(`with ${what}: the start fails with the reason`, async () => {
      await assert.rejects(startReplica(etcd.endpoint, '--etcd-start-timeout=0s', ...more), (error: Error) => {
        assert.equal(error.name, 'ConfigError');
        assert.match(error.message, why);
        return true;
      });
    });
  }
});
