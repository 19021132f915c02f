import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { ConfigError } from '#base/errors/config-error.ts';
import { type AddressRanges, readAddressRanges } from '#program/flags/address-ranges.ts';
import { text, together } from '#program/flags/flag-readers.ts';
import type { NamedCertificate } from '#program/flags/named-certificates.ts';
import { readNamedCertificates } from '#program/flags/named-certificates.ts';
import type { ServingTls } from '#program/flags/serving-tls.ts';
import { readServingTls } from '#program/flags/serving-tls.ts';
import type { Flags } from './parse-flags.ts';
export interface ServingOptions {
  readonly address: string;
  readonly port: number;
  readonly advertiseAddress: string | undefined;
  /** The address that the server gives to clients outside the cluster: `host:port`. */
  readonly externalAddress: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** Whether no certificate was given. If so, the server uses these files, and creates them if they do not exist. */
  readonly makesCertificate: boolean;
  readonly namedCertificates: readonly NamedCertificate[];
  /** Whether other processes may listen on the port too. */
  readonly sharePort: boolean;
  readonly tls: ServingTls;
  /** Addresses of proxies that may name their clients with the PROXY protocol; undefined for none. */
  readonly proxies: AddressRanges | undefined;
}

export function readServing(flags: Flags): ServingOptions {
  const port = flags.get('secure-port');
  if (port < 1 || port > 65535)
    throw new ConfigError('flag --secure-port must be between 1 and 65535: it cannot be switched off');
  const address = flags.get('bind-address');
  const advertiseAddress = text(flags.get('advertise-address'));
  const certFile = text(flags.get('tls-cert-file'));
  const keyFile = text(flags.get('tls-private-key-file'));
  together('tls-cert-file', certFile, 'tls-private-key-file', keyFile);
  const folder = flags.get('cert-dir');
  if (certFile === undefined && folder === '')
    throw new ConfigError(
      'flags --tls-cert-file and --tls-private-key-file are missing, and so is --cert-dir: the server speaks TLS only',
    );
  const proxies = flags.get('proxy-protocol-from');
  const sharePort = flags.get('permit-port-sharing');
  if (sharePort && flags.get('workers') > 1)
    throw new ConfigError('flag --permit-port-sharing is for --workers=1: workers share their port among themselves');
  return {
    address,
    port,
    advertiseAddress,
    externalAddress: externalAddress(text(flags.get('external-hostname')) ?? advertiseAddress ?? address, port),
    certFile: certFile ?? join(folder, 'apiserver.crt'),
    keyFile: keyFile ?? join(folder, 'apiserver.key'),
    makesCertificate: certFile === undefined,
    namedCertificates: readNamedCertificates(flags.get('tls-sni-cert-key')),
    sharePort,
    tls: readServingTls(flags.get('tls-min-version'), flags.get('tls-cipher-suites')),
    proxies: proxies.length === 0 ? undefined : readAddressRanges('--proxy-protocol-from', proxies),
  };
}

/** The external host with the port. If the name already has a port, it does not change. */
function externalAddress(host: string, port: number): string {
  if (isIPv6(host)) return `[${host}]:${port}`;
  const url = `https://${host}`;
  if (!URL.canParse(url) || new URL(url).host !== host.replace(/:443$/, '').toLowerCase())
    throw new ConfigError(
      `invalid value for flag --external-hostname: ${JSON.stringify(host)} is not a host like api.example or api.example:443`,
    );
  return /:\d+$/.test(host) ? host : `${host}:${port}`;
}
