import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CLIENT_AUTH,
  CN,
  type MadeCertificate,
  makeAuthority,
  makeCertificate,
  SERVER_AUTH,
} from '#base/x509/make-certificate.ts';
import { temporaryPki } from '../replica.ts';
import { storageTool } from '../storage-tool.ts';
import { DrillSystem } from './system.ts';

describe('drill: the certificate of replicas for etcd is replaced on disk', function () {
  this.timeout(240_000);
  const pki = temporaryPki();
  const [former, next] = [makeAuthority('former'), makeAuthority('next')];
  const put = (name: string, text: string): string => {
    writeFileSync(`${pki.file(name)}.new`, text);
    renameSync(`${pki.file(name)}.new`, pki.file(name));
    return pki.file(name);
  };
  const shown = (name: string, by: MadeCertificate): string[] => {
    const { pem, keyPem } = makeCertificate({ subject: [[CN, 'apiserver']], by, usages: [CLIENT_AUTH] });
    return [`--etcd-certfile=${put(`${name}.crt`, pem)}`, `--etcd-keyfile=${put(`${name}.key`, keyPem)}`];
  };
  const caFile = `--etcd-cafile=${put('etcd-ca.crt', next.pem)}`;
  const byReplicas = [caFile, ...shown('to-etcd', former)];
  let system: DrillSystem;

  before(async () => {
    const usages = [SERVER_AUTH, CLIENT_AUTH];
    const member = makeCertificate({ subject: [[CN, 'etcd']], by: next, usages, ips: ['127.0.0.1'] });
    const tls = {
      caFile: put('clients-of-etcd.crt', former.pem + next.pem),
      certFile: put('member.crt', member.pem),
      keyFile: put('member.key', member.keyPem),
    };
    system = await DrillSystem.start({ pki, tls, replicaFlags: byReplicas });
  });

  after(() => system?.stop());

  it('no replica restarts and no client relists', async () => {
    const { clients, cluster } = system;
    const verify = (flags: readonly string[]) => storageTool('verify', `--etcd-servers=${cluster.endpoints}`, ...flags);
    const old = [caFile, ...shown('kept-for-comparison', former)];
    assert.match(await verify(old), /, 0 findings/);
    await sleep(1000);
    clients.begin();
    shown('to-etcd', next);
    put('clients-of-etcd.crt', next.pem);
    // The restarts end all connections, and load the other authority.
    for (const i of [0, 1, 2]) {
      await cluster.kill(i);
      await cluster.member(i).restart();
    }
    await clients.recovered('another certificate is shown to etcd');
    assert.deepEqual(clients.violations, []);
    assert.equal(clients.relists, 0);
    await assert.rejects(verify(old), /certificate|UNAVAILABLE|No connection/i);
    assert.match(await verify(byReplicas), /, 0 findings/);
  });
});
