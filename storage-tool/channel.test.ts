import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CLIENT_AUTH, CN, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import { programToTest } from '#scripts/programs.ts';
import { EtcdProcess, type MutualTls } from '#storage-etcd/testing/etcd-process.ts';

describe('orch-storage connects to an etcd member by its IP address', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'storage-tls-'));
  const authority = makeAuthority('etcd-ca');
  const put = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const caFile = put('ca.crt', authority.pem);

  after(() => rmSync(folder, { recursive: true }));

  function material(ip: string): MutualTls {
    const usages = [SERVER_AUTH, CLIENT_AUTH];
    const { pem, keyPem } = makeCertificate({ subject: [[CN, 'etcd']], by: authority, usages, ips: [ip] });
    return { caFile, certFile: put(`${ip}.crt`, pem), keyFile: put(`${ip}.key`, keyPem) };
  }

  const there = '127.0.0.1';
  const other = /IP: 127.0.0.1 is not in the cert's list: 127.0.0.2/;
  type Case = [
    shows: string,
    believes: 'the authority' | 'itself',
    ip: string,
    code: number,
    members: RegExp,
    errors: RegExp,
  ];
  const cases: readonly Case[] = [
    ['accepts a certificate for the address', 'the authority', there, 0, /"revision":/, /^$/],
    ['refuses a certificate for another address', 'the authority', '127.0.0.2', 2, /^$/, other],
    ['accepts the certificate itself as the CA bundle', 'itself', there, 0, /"revision":/, /^$/],
    [
      'refuses the certificate itself as the CA bundle if it is for another address',
      'itself',
      '127.0.0.2',
      2,
      /^$/,
      other,
    ],
  ];
  for (const [shows, believes, ip, code, output, errors] of cases)
    it(shows, async () => {
      const tls = material(ip);
      const etcd = await EtcdProcess.start({ tls });
      try {
        const { main, environment } = programToTest('storage/main');
        const bundle = believes === 'itself' ? tls.certFile : caFile;
        const files = [`--etcd-cafile=${bundle}`, `--etcd-certfile=${tls.certFile}`, `--etcd-keyfile=${tls.keyFile}`];
        const args = [main, 'status', '-o', 'json', '--naming=orch', `--etcd-servers=${etcd.endpoint}`, ...files];
        const env = { ...process.env, ...environment };
        const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
        const said = ['', ''];
        [child.stdout, child.stderr].forEach((stream, i) => void stream.on('data', (some) => (said[i] += some)));
        const ended = await once(child, 'close');
        assert.match(said[1]!, errors);
        assert.match(said[0]!, output);
        assert.equal(ended[0], code);
      } finally {
        await etcd.stop();
      }
    });
});
