import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { ConfigError } from '#base/errors/config-error.ts';
import { CN, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import { makeFolder } from '#program/files/make-folder.ts';
import { AddressRange } from '../allocation/address-range.ts';
import { advertisedAddress } from '../bootstrap/api-service.ts';
import type { ServerOptions } from '../config/options.ts';

/** The certificate that the server creates if it gets none. */
export interface OwnCertificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** Names that the certificate always has, in the first places. By them the server recognises its own certificate. */
  readonly names: readonly string[];
  /** More names and addresses at which clients may reach the server. */
  readonly hosts: readonly string[];
  readonly ips: readonly string[];
}

/**
 * Creates the server's certificate if the options name none and the folder contains none from another source. Returns a
 * warning about the certificate for the operator.
 * @throws ConfigError
 */
export function ensureServingCertificate({
  serving,
  naming,
  serviceClusterIpRanges,
}: ServerOptions): string | undefined {
  const { certFile, keyFile, makesCertificate, address, advertiseAddress, externalAddress } = serving;
  if (!makesCertificate) return undefined;
  const outside = new URL(`https://${externalAddress}`).hostname.replace(/^\[|\]$/g, '');
  const ranges = serviceClusterIpRanges.map((range) => AddressRange.parse(range).at(0));
  const places = [outside, advertisedAddress(advertiseAddress, address), address, ...ranges, '127.0.0.1', '::1'];
  const { product } = naming;
  return ensureOwnCertificate({
    certFile,
    keyFile,
    names: ['localhost', product, `${product}.default`, `${product}.default.svc`],
    hosts: places.filter((place) => isIP(place) === 0),
    ips: places.filter((place) => isIP(place) !== 0 && !UNSPECIFIED.has(place)),
  });
}

/** Addresses on which the server listens, and to which no client connects. */
const UNSPECIFIED = new Set(['0.0.0.0', '::']);

const DAYS = 365;
const DAY_MS = 86_400_000;
/** If the server's own certificate ends sooner than this, the server replaces it at a start. */
const LEAST_DAYS = 30;

/**
 * Creates a self-signed certificate and its key if the files do not exist. Clients must be given this certificate to
 * trust. The server renews only a pair that it created itself, when it ends soon. It uses a pair of an installer as it
 * is. Returns a warning about the certificate in use, if there is one.
 * @throws ConfigError if the files cannot be written, if one of them is missing, or if one is not a certificate
 */
export function ensureOwnCertificate({ certFile, keyFile, names, hosts, ips }: OwnCertificate): string | undefined {
  const ownWords = `Without --tls-cert-file clients are shown a certificate that signs itself: ${certFile}.`;
  if (existsSync(certFile) !== existsSync(keyFile))
    throw new ConfigError(`${certFile} and ${keyFile} belong together, but only one of them is there: remove it`);
  if (existsSync(certFile)) {
    const found = readCertificate(certFile);
    const own = isOwn(found, names);
    if (Date.parse(found.validTo) > Date.now() + LEAST_DAYS * DAY_MS) return own ? ownWords : undefined;
    if (!own) return `The certificate in ${certFile}, which the server did not make, ends at ${found.validTo}.`;
  }
  const { pem, keyPem } = makeCertificate({
    subject: [[CN, hostname()]],
    usages: [SERVER_AUTH],
    hosts: [...new Set([...names, ...hosts])],
    ips: [...new Set(ips)],
    to: DAYS,
  });
  try {
    makeFolder(path.dirname(certFile));
    writeFileSync(keyFile, keyPem, { mode: 0o600 });
    writeFileSync(certFile, pem);
  } catch (error) {
    throw new ConfigError(
      `no certificate can be made in --cert-dir (${(error as Error).message}): give a folder that can be written, or --tls-cert-file and --tls-private-key-file`,
    );
  }
  return ownWords;
}

/**
 * Whether the server made a certificate itself. It recognises its own certificates by their form, which other
 * certificates are unlikely to have.
 */
function isOwn(certificate: X509Certificate, names: readonly string[]): boolean {
  const { subject, subjectAltName, keyUsage } = certificate;
  const begin = names.map((name) => `DNS:${name}, `).join('');
  return (
    /^CN=[^\n]*$/.test(subject) &&
    `${subjectAltName}, `.startsWith(begin) &&
    String(keyUsage) === SERVER_AUTH &&
    certificate.checkIssued(certificate) &&
    certificate.verify(certificate.publicKey)
  );
}

function readCertificate(certFile: string): X509Certificate {
  try {
    return new X509Certificate(readFileSync(certFile));
  } catch (error) {
    throw new ConfigError(`${certFile} of --cert-dir is no certificate: ${(error as Error).message}`);
  }
}
