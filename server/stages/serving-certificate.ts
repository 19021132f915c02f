import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { AddressRange } from '../allocation/address-range.ts';
import { advertisedAddress } from '../bootstrap/api-service.ts';
import type { ServerOptions } from '../config/options.ts';
import { ConfigError } from '../errors/config-error.ts';
import { CN, makeCertificate, SERVER_AUTH } from '../x509/make-certificate.ts';

/** A certificate that the server makes itself where it is given none. */
export interface OwnCertificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** Names and addresses that clients may reach it by. */
  readonly hosts: readonly string[];
  readonly ips: readonly string[];
}

/** Makes the server's certificate where the options leave that to it. @throws ConfigError */
export function ensureServingCertificate({ serving, naming, serviceClusterIpRanges }: ServerOptions): void {
  const { certFile, keyFile, makesCertificate, address, advertiseAddress, externalAddress } = serving;
  if (!makesCertificate) return;
  const outside = new URL(`https://${externalAddress}`).hostname.replace(/^\[|\]$/g, '');
  const ranges = serviceClusterIpRanges.map((range) => AddressRange.parse(range).at(0));
  const places = [outside, advertisedAddress(advertiseAddress, address), address, ...ranges, '127.0.0.1', '::1'];
  const { product } = naming;
  ensureOwnCertificate({
    certFile,
    keyFile,
    hosts: [
      'localhost',
      product,
      `${product}.default`,
      `${product}.default.svc`,
      ...places.filter((place) => isIP(place) === 0),
    ],
    ips: places.filter((place) => isIP(place) !== 0 && !UNSPECIFIED.has(place)),
  });
}

/** Addresses to listen on that nobody is reached by. */
const UNSPECIFIED = new Set(['0.0.0.0', '::']);

const DAYS = 365;
const DAY_MS = 86_400_000;
/** One that is over sooner is made anew, at a start. */
const LEAST_DAYS = 30;

/**
 * Makes a certificate that signs itself, and its key, unless they are there. Whom it serves must be given it to trust.
 * @throws ConfigError when the files cannot be written, or one of them lacks the other
 */
export function ensureOwnCertificate({ certFile, keyFile, hosts, ips }: OwnCertificate): void {
  if (existsSync(certFile) !== existsSync(keyFile))
    throw new ConfigError(`${certFile} and ${keyFile} belong together, but only one of them is there: remove it`);
  if (existsSync(certFile) && lastsLongEnough(certFile)) return;
  const { pem, keyPem } = makeCertificate({
    subject: [[CN, hostname()]],
    usages: [SERVER_AUTH],
    hosts: [...new Set(hosts)],
    ips: [...new Set(ips)],
    to: DAYS,
  });
  try {
    mkdirSync(path.dirname(certFile), { recursive: true });
    writeFileSync(keyFile, keyPem, { mode: 0o600 });
    writeFileSync(certFile, pem);
  } catch (error) {
    throw new ConfigError(
      `no certificate can be made in --cert-dir (${(error as Error).message}): give a folder that can be written, or --tls-cert-file and --tls-private-key-file`,
    );
  }
}

function lastsLongEnough(certFile: string): boolean {
  try {
    return Date.parse(new X509Certificate(readFileSync(certFile)).validTo) > Date.now() + LEAST_DAYS * DAY_MS;
  } catch (error) {
    throw new ConfigError(`${certFile} of --cert-dir is no certificate: ${(error as Error).message}`);
  }
}
