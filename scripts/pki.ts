import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Naming } from '../server/naming/naming.ts';
import { ensureTool } from './ensure-tool.ts';

/** A folder of certificates, keys and tokens for trying things out. Every part is kept as long as it is valid. */
export interface Pki {
  readonly directory: string;
  /** The path of a part: `file('ca.crt')`. */
  file(name: string): string;
  /** Its text. */
  read(name: string): string;
}

interface Certificate {
  readonly name: string;
  readonly subject: string;
  readonly issuer?: string;
  /** Lines of an OpenSSL extension section. */
  readonly extensions: readonly string[];
}

/**
 * Makes what is missing in `directory`: the authorities `ca` and `front-ca`; certificates with keys for the server, an
 * administrator, a node, the controller manager and a front proxy; the service account key pair; a token file.
 */
export function makePki(directory: string, naming: Naming): Pki {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const pki: Pki = {
    directory,
    file: (name) => path.join(directory, name),
    read: (name) => readFileSync(path.join(directory, name), 'utf8'),
  };
  const authority = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign,digitalSignature'];
  const client = [
    'basicConstraints=critical,CA:FALSE',
    'keyUsage=critical,digitalSignature',
    'extendedKeyUsage=clientAuth',
  ];
  const names = ['IP:127.0.0.1', 'IP:::1', 'IP:10.0.0.1', 'DNS:localhost', `DNS:${naming.product}.default.svc`];
  const certificates: Certificate[] = [
    { name: 'ca', subject: '/CN=ca', extensions: authority },
    { name: 'front-ca', subject: '/CN=front-ca', extensions: authority },
    {
      name: 'server',
      subject: '/CN=apiserver',
      issuer: 'ca',
      extensions: [...client.slice(0, 2), 'extendedKeyUsage=serverAuth', `subjectAltName=${names.join(',')}`],
    },
    { name: 'admin', subject: '/O=system:masters/CN=admin', issuer: 'ca', extensions: client },
    { name: 'node1', subject: '/O=system:nodes/CN=system:node:node1', issuer: 'ca', extensions: client },
    {
      name: 'controller-manager',
      subject: `/CN=system:${naming.prefixed('controller-manager')}`,
      issuer: 'ca',
      extensions: client,
    },
    { name: 'front-proxy', subject: '/CN=front-proxy', issuer: 'front-ca', extensions: client },
  ];
  for (const certificate of certificates) if (!isValid(pki, certificate, names)) makeCertificate(pki, certificate);
  if (!existsSync(pki.file('sa.key'))) makeServiceAccountKeys(pki);
  if (!existsSync(pki.file('tokens.csv'))) makeTokens(pki);
  return pki;
}

/** Whether a certificate is there, lasts another week, and was signed for this naming by the authority beside it. */
function isValid(pki: Pki, { name, subject, issuer }: Certificate, names: readonly string[]): boolean {
  if (!existsSync(pki.file(`${name}.crt`)) || !existsSync(pki.file(`${name}.key`))) return false;
  const certificate = new X509Certificate(pki.read(`${name}.crt`));
  const lasts = Date.parse(certificate.validTo) > Date.now() + 7 * 24 * 3600 * 1000;
  const signed = certificate.verify(new X509Certificate(pki.read(`${issuer ?? name}.crt`)).publicKey);
  const ownName = certificate.subject === subject.slice(1).replaceAll('/', '\n');
  const product = name !== 'server' || certificate.subjectAltName?.includes(names.at(-1)!) === true;
  return lasts && signed && ownName && product;
}

function makeCertificate(pki: Pki, { name, subject, issuer, extensions }: Certificate): void {
  const openssl = ensureTool('openssl', 'openssl');
  const config = pki.file('openssl.cnf');
  writeFileSync(
    config,
    ['[req]', 'distinguished_name=dn', 'x509_extensions=ext', '[dn]', '[ext]', ...extensions, ''].join('\n'),
  );
  const signer = issuer === undefined ? [] : ['-CA', pki.file(`${issuer}.crt`), '-CAkey', pki.file(`${issuer}.key`)];
  const key = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    pki.file(`${name}.key`),
  ];
  try {
    execFileSync(
      openssl,
      [
        'req',
        '-x509',
        '-config',
        config,
        '-subj',
        subject,
        '-days',
        '3650',
        ...key,
        '-out',
        pki.file(`${name}.crt`),
        ...signer,
      ],
      { stdio: 'pipe' },
    );
  } finally {
    rmSync(config);
  }
}

function makeServiceAccountKeys(pki: Pki): void {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(pki.file('sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(pki.file('sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
}

/** Two users: `admin` may do everything, `bob` what roles give to him or to `dev`. */
function makeTokens(pki: Pki): void {
  const token = () => randomBytes(24).toString('base64url');
  const lines = [`${token()},admin,uid-admin,"system:masters"`, `${token()},bob,uid-bob,"dev"`, ''];
  writeFileSync(pki.file('tokens.csv'), lines.join('\n'), { mode: 0o600 });
}
