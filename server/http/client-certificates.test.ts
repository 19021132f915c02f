import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';
import { CLIENT_AUTH, CN, type MadeCertificate, makeCertificate, O } from '#base/x509/make-certificate.ts';
import { aroundAll } from '../testing/around-all.ts';
import type { TestReplica } from '../testing/replica.ts';

const KEYS: Readonly<Record<string, () => KeyObject>> = {
  'RSA 2048': () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  'P-256': () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey,
  'P-521': () => generateKeyPairSync('ec', { namedCurve: 'secp521r1' }).privateKey,
};
const directory = mkdtempSync(path.join(tmpdir(), 'client-certificates-'));
after(() => rmSync(directory, { recursive: true }));

for (const [what, makeKey] of Object.entries(KEYS)) {
  describe(`a client certificate, if the key of the trusted authority is ${what}`, function () {
    this.timeout(60_000);
    const authority = makeCertificate({ subject: [[CN, 'real']], ca: true, key: makeKey() });
    const file = path.join(directory, `${what}.pem`);
    writeFileSync(file, authority.pem);
    let server: TestReplica;
    aroundAll((started) => {
      server = started;
    }, `--client-ca-file=${file}`);

    const statusOf = async (
      leaf: MadeCertificate,
      chain: string,
      maxVersion: 'TLSv1.2' | 'TLSv1.3',
    ): Promise<string> => {
      const socket = connect({
        host: '127.0.0.1',
        port: server.port,
        rejectUnauthorized: false,
        cert: chain,
        key: leaf.keyPem,
        maxVersion,
      });
      socket.write('GET /api HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      return /^HTTP\/1\.1 (\d{3}) /.exec(Buffer.concat(chunks).toString())?.[1] ?? 'no answer';
    };
    const certificateOf = (by: MadeCertificate) =>
      makeCertificate({
        subject: [
          [O, 'system:masters'],
          [CN, 'm'],
        ],
        by,
        usages: [CLIENT_AUTH],
      });

    it('that the trusted authority signed is accepted', async () => {
      const leaf = certificateOf(authority);
      for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
        assert.equal(await statusOf(leaf, leaf.pem, version), '200');
    });

    for (const name of ['real', 'other']) {
      for (const [other, makeOther] of Object.entries(KEYS)) {
        it(`that another authority named ${name} with a key of ${other} signed gets 401`, async () => {
          const fake = makeCertificate({ subject: [[CN, name]], ca: true, key: makeOther() });
          const leaf = certificateOf(fake);
          for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
            for (const chain of [leaf.pem, leaf.pem + fake.pem, leaf.pem + authority.pem]) {
              assert.equal(await statusOf(leaf, chain, version), '401', version);
            }
          }
        });
      }
    }
  });
}
