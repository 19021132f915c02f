import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Naming } from '#base/naming/naming.ts';
import { type Certificate, ensureCertificates } from './certificates.ts';

const DAYS = 3650;

/** A folder of certificates, keys and tokens for experiments. Every part is kept as long as it is valid. */
export interface Pki {
  readonly directory: string;
  /** The path of a part: `file('ca.crt')`. */
  file(name: string): string;
  /** Its text. */
  read(name: string): string;
}

/**
 * Creates the missing files in `directory`: the authorities `ca` and `front-ca`, the key pair for service accounts, and
 * a token file. It also creates certificates with keys for the server, an administrator, a node, the controller
 * manager, the scheduler, simulated nodes and a front proxy.
 */
export function makePki(directory: string, naming: Naming): Pki {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const pki: Pki = {
    directory,
    file: (name) => path.join(directory, name),
    read: (name) => readFileSync(path.join(directory, name), 'utf8'),
  };
  const names = ['IP:127.0.0.1', 'IP:::1', 'IP:10.0.0.1', 'DNS:localhost', `DNS:${naming.product}.default.svc`];
  const client = (name: string, subject: string, issuer = 'ca'): Certificate => ({
    name,
    subject,
    issuer,
    usage: ['clientAuth'],
    days: DAYS,
  });
  ensureCertificates(directory, [
    { name: 'ca', subject: '/CN=ca', days: DAYS },
    { name: 'front-ca', subject: '/CN=front-ca', days: DAYS },
    { name: 'server', subject: '/CN=apiserver', issuer: 'ca', usage: ['serverAuth'], names, days: DAYS },
    { ...client('admin', '/O=system:masters/CN=admin'), rsa: true },
    client('node1', '/O=system:nodes/CN=system:node:node1'),
    client('controller-manager', `/CN=system:${naming.prefixed('controller-manager')}`),
    client('scheduler', `/CN=system:${naming.prefixed('scheduler')}`),
    client('simulated-nodes', '/CN=simulated-nodes'),
    client('front-proxy', '/CN=front-proxy', 'front-ca'),
  ]);
  ensureServiceAccountKeys(directory);
  if (!existsSync(pki.file('tokens.csv'))) makeTokens(pki);
  return pki;
}

/** Creates the key pair that signs service account tokens, `sa.key` and `sa.pub`, unless it exists. */
export function ensureServiceAccountKeys(directory: string): void {
  const file = path.join(directory, 'sa.key');
  if (existsSync(file)) return;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(path.join(directory, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
}

/** Two users: `admin` may do everything, `bob` what roles give to him or to `dev`. */
function makeTokens(pki: Pki): void {
  const token = () => randomBytes(24).toString('base64url');
  const lines = [`${token()},admin,uid-admin,"system:masters"`, `${token()},bob,uid-bob,"dev"`, ''];
  writeFileSync(pki.file('tokens.csv'), lines.join('\n'), { mode: 0o600 });
}
