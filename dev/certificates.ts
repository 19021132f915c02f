import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { ConfigError } from '#base/errors/config-error.ts';
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

/** The programs of a cluster besides the server that have certificates. */
const COMPONENTS = ['controller-manager', 'scheduler'] as const;

/** The files of a cluster. They are PEM files, except `made`, which marks that all of them exist. */
export interface ClusterFiles {
  readonly folder: string;
  /** The path of one of the files: `file('ca.crt')`. */
  file(name: string): string;
  read(name: string): string;
}

/**
 * Ensures that a folder has the certificates and keys of a cluster, and creates the missing ones: an authority, the
 * server, an administrator, the controller manager, the scheduler, and the key of service account tokens.
 *
 * @param hosts names and addresses for the server's certificate, besides those of this machine. A certificate that
 * lacks some of them is made again.
 * @throws ConfigError if the authority or the key of tokens from an earlier start is missing or damaged
 */
export function ensureCertificates(folder: string, naming: Naming, hosts: readonly string[] = []): ClusterFiles {
  makeFolder(folder, 0o700);
  const file = (name: string) => path.join(folder, name);
  const files: ClusterFiles = { folder, file, read: (name) => readFileSync(file(name), 'utf8') };
  const isMade = existsSync(file('made'));
  if (isMade) readAuthorities(files);
  // A folder of an earlier release does not contain the scheduler's certificate.
  const isGood = (name: string): boolean => {
    const certificate = isMade ? pairOf(files, name) : undefined;
    return certificate !== undefined && (name !== 'server' || isGoodFor(certificate, hosts));
  };
  if ([...COMPONENTS, 'server', 'admin'].every(isGood)) return files;
  const write = (name: string, text: string) => writeFileSync(file(name), text, { mode: 0o600 });
  const authority = isMade ? readAuthority(files) : makeAuthority('ca');
  if (!isMade) {
    write('ca.crt', authority.pem);
    write('ca.key', authority.keyPem);
  }
  const make = (name: string, wish: Omit<CertificateWish, 'by' | 'to'>) => {
    if (isGood(name)) return;
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
  for (const component of COMPONENTS)
    make(component, { subject: [[CN, `system:${naming.prefixed(component)}`]], usages: [CLIENT_AUTH] });
  if (isMade) return files;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  write('sa.key', key);
  write('sa.pub', createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'pem' }).toString());
  write('made', '');
  return files;
}

/**
 * Checks the files that cannot be made again, because clients and tokens depend on them.
 * @throws ConfigError with advice
 */
function readAuthorities(files: ClusterFiles): void {
  const advice = `put it back, or remove ${files.folder} to make all of them again; clients then need the new connection file`;
  for (const [name, read] of [
    ['ca.crt', (pem: string) => new X509Certificate(pem)],
    ['ca.key', createPrivateKey],
    ['sa.key', createPrivateKey],
    ['sa.pub', createPublicKey],
  ] as const) {
    try {
      read(files.read(name));
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'is missing' : 'cannot be read';
      throw new ConfigError(`${files.file(name)} ${why}: ${advice}`);
    }
  }
}

/** The certificate of a pair; undefined if one of its files is missing or damaged, so that the pair is made again. */
function pairOf(files: ClusterFiles, name: string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(files.read(`${name}.crt`));
    const key = createPrivateKey(files.read(`${name}.key`));
    return certificate.checkPrivateKey(key) ? certificate : undefined;
  } catch {
    return undefined;
  }
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
