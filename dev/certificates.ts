import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import type { Naming } from '#base/naming/naming.ts';
import {
  type CertificateWish,
  CLIENT_AUTH,
  CN,
  type MadeCertificate,
  makeAuthority,
  makeCertificate,
  O,
  SERVER_AUTH,
} from '#base/x509/make-certificate.ts';
import { makeFolder } from '#program/files/make-folder.ts';

const DAYS = 3_650;

/** The files of a cluster: PEM, except `made`, which marks that all exist. */
export interface ClusterFiles {
  readonly folder: string;
  /** The path of one of them: `file('ca.crt')`. */
  file(name: string): string;
  read(name: string): string;
}

/**
 * Ensures the certificates and keys of a cluster in a folder, and creates the missing ones: an authority, the server,
 * an administrator, the controller manager, the scheduler, and the key of service account tokens.
 *
 * @param hosts names and addresses that the server's certificate is good for, besides those of this machine: one that
 *   lacks some of them is made again
 */
export function ensureCertificates(folder: string, naming: Naming, hosts: readonly string[] = []): ClusterFiles {
  makeFolder(folder, 0o700);
  const file = (name: string) => path.join(folder, name);
  const files: ClusterFiles = { folder, file, read: (name) => readFileSync(file(name), 'utf8') };
  const isMade = existsSync(file('made'));
  const serverIsGood = isMade && isGoodFor(new X509Certificate(files.read('server.crt')), hosts);
  // A folder of an earlier release does not contain the scheduler's certificate.
  if (serverIsGood && existsSync(file('scheduler.crt'))) return files;
  const write = (name: string, text: string) => writeFileSync(file(name), text, { mode: 0o600 });
  const authority = isMade ? readAuthority(files) : makeAuthority('ca');
  write('ca.crt', authority.pem);
  write('ca.key', authority.keyPem);
  const make = (name: string, wish: Omit<CertificateWish, 'by' | 'to'>) => {
    if (isMade && existsSync(file(`${name}.crt`)) && (name !== 'server' || serverIsGood)) return;
    const { pem, keyPem } = makeCertificate({ ...wish, by: authority, to: DAYS });
    write(`${name}.crt`, pem);
    write(`${name}.key`, keyPem);
  };
  make('server', {
    subject: [[CN, 'apiserver']],
    usages: [SERVER_AUTH],
    hosts: ['localhost', `${naming.product}.default.svc`, ...hosts.filter((host) => isIP(host) === 0)],
    ips: [...new Set(['127.0.0.1', '::1', '10.0.0.1', ...hosts.filter((host) => isIP(host) !== 0)])],
  });
  const admin = [
    [O, 'system:masters'],
    [CN, 'admin'],
  ] as const;
  make('admin', { subject: admin, usages: [CLIENT_AUTH] });
  for (const component of ['controller-manager', 'scheduler'])
    make(component, { subject: [[CN, `system:${naming.prefixed(component)}`]], usages: [CLIENT_AUTH] });
  if (isMade) return files;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  write('sa.key', key);
  write('sa.pub', createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'pem' }).toString());
  write('made', '');
  return files;
}

function isGoodFor(certificate: X509Certificate, hosts: readonly string[]): boolean {
  return hosts.every((host) => (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)));
}

/** The authority from an earlier start. */
function readAuthority(files: ClusterFiles): MadeCertificate {
  const [pem, keyPem] = [files.read('ca.crt'), files.read('ca.key')];
  const { raw: der } = new X509Certificate(pem);
  return { der, pem, keyPem, key: createPrivateKey(keyPem), subject: [[CN, 'ca']] };
}
