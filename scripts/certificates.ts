import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureTool } from './ensure-tool.ts';

/** A certificate to create, with its key beside it. */
export interface Certificate {
  /** Path in the folder, without ending: `ca` for `ca.crt` and `ca.key`. */
  readonly name: string;
  /** The subject as OpenSSL writes it: `/O=group/CN=user`. */
  readonly subject: string;
  /** The name of the authority that signs it; absent: it is one itself. */
  readonly issuer?: string;
  /** Its other allowed uses. */
  readonly usage?: readonly ('serverAuth' | 'clientAuth')[];
  /** Whom it speaks for: `DNS:localhost`, `IP:127.0.0.1`. */
  readonly names?: readonly string[];
  /** How long it is valid. */
  readonly days: number;
  /**
   * With an RSA key in the form of PKCS #1, which clients of any age and language can read. Otherwise the key is of
   * P-256.
   */
  readonly rsa?: true;
}

const DAY_MS = 24 * 3600 * 1000;

/** How `ensureCertificates` works. */
export interface EnsureOptions {
  /** Certificates that end within these days are made again. */
  readonly renewDays?: number;
  /** Called for each new file before it is visible to others, to set its owner. */
  readonly prepare?: (file: string, name: string) => void;
}

/**
 * Creates the missing certificates of a folder. It renews certificates that end soon, are for other names, or were
 * signed by an authority that no longer exists. Authorities come first. Readers never see half a file, and see a key
 * without its certificate only for an instant. Returns the names of the new files.
 */
export function ensureCertificates(
  directory: string,
  certificates: readonly Certificate[],
  { renewDays = 7, prepare = () => {} }: EnsureOptions = {},
): string[] {
  const missing = certificates.filter((certificate) => {
    const good = isGood(directory, certificate, renewDays);
    if (!good) makeCertificate(directory, certificate, prepare);
    return !good;
  });
  return missing.map(({ name }) => name);
}

function isGood(
  directory: string,
  { name, subject, issuer, names = [], rsa }: Certificate,
  renewDays: number,
): boolean {
  const file = (ending: string) => path.join(directory, ending);
  if (!existsSync(file(`${name}.crt`)) || !existsSync(file(`${name}.key`))) return false;
  const certificate = new X509Certificate(readFileSync(file(`${name}.crt`)));
  const authority = new X509Certificate(readFileSync(file(`${issuer ?? name}.crt`)));
  return (
    Date.parse(certificate.validTo) > Date.now() + renewDays * DAY_MS &&
    certificate.verify(authority.publicKey) &&
    certificate.subject === subject.slice(1).replaceAll('/', '\n') &&
    (!rsa || certificate.publicKey.asymmetricKeyType === 'rsa') &&
    names.every((entry) => speaksFor(certificate, entry))
  );
}

function speaksFor(certificate: X509Certificate, entry: string): boolean {
  const [kind, name = ''] = entry.split(/:(.*)/s);
  const found = kind === 'IP' ? certificate.checkIP(name) : certificate.checkHost(name, { subject: 'never' });
  return found !== undefined;
}

function makeCertificate(
  directory: string,
  { name, subject, issuer, usage, names, days, rsa }: Certificate,
  prepare: NonNullable<EnsureOptions['prepare']>,
): void {
  const openssl = ensureTool('openssl', 'openssl');
  const file = (ending: string) => path.join(directory, ending);
  mkdirSync(path.dirname(file(name)), { recursive: true, mode: 0o700 });
  const extensions =
    issuer === undefined
      ? ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign,digitalSignature']
      : ['basicConstraints=critical,CA:FALSE', 'keyUsage=critical,digitalSignature'];
  extensions.push('subjectKeyIdentifier=hash', 'authorityKeyIdentifier=keyid');
  if (usage !== undefined) extensions.push(`extendedKeyUsage=${usage.join(',')}`);
  if (names !== undefined) extensions.push(`subjectAltName=${names.join(',')}`);
  const config = file('openssl.cnf');
  const sections = ['[req]', 'distinguished_name=dn', 'x509_extensions=ext', '[dn]', '[ext]', ...extensions, ''];
  writeFileSync(config, sections.join('\n'));
  const keyFile = file(`${name}.key.new`);
  const key = rsa
    ? ['-key', makeRsaKey(keyFile)]
    : ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  const signer = issuer === undefined ? [] : ['-CA', file(`${issuer}.crt`), '-CAkey', file(`${issuer}.key`)];
  const about = ['-config', config, '-subj', subject, '-days', String(days), '-out', file(`${name}.crt.new`)];
  try {
    execFileSync(openssl, ['req', '-x509', ...about, ...key, ...signer], { stdio: 'pipe' });
  } finally {
    rmSync(config);
  }
  const endings = ['key', 'crt'];
  for (const ending of endings) prepare(file(`${name}.${ending}.new`), name);
  for (const ending of endings) renameSync(file(`${name}.${ending}.new`), file(`${name}.${ending}`));
}

/** Writes a new key into a file that only its owner reads, and gives its name. */
function makeRsaKey(file: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(file, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  return file;
}
