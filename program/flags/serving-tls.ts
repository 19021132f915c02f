import { getCiphers } from 'node:tls';
import { table } from '#base/collections/own-properties.ts';
import { ConfigError } from '#base/errors/config-error.ts';

/** The TLS parameters of the listener. */
export interface ServingTls {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** The cipher suites in OpenSSL's words. Undefined means the choice of Node.js. */
  readonly ciphers: string | undefined;
}

const VERSIONS: Readonly<Record<string, ServingTls['minVersion']>> = table({
  '': 'TLSv1.2',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
});

/** The suites of TLS 1.3. An operator cannot choose among them, because none of them is weak. */
const TLS13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/**
 * Reads `--tls-min-version` and `--tls-cipher-suites`. The suites have the names of IANA.
 *
 * @throws ConfigError for versions before 1.2, and for suites that this server does not have
 */
export function readServingTls(version: string, suites: readonly string[]): ServingTls {
  const minVersion = Object.hasOwn(VERSIONS, version) ? VERSIONS[version] : undefined;
  if (minVersion === undefined)
    throw new ConfigError(
      `invalid value for flag --tls-min-version: ${JSON.stringify(version)} is neither VersionTLS12 nor VersionTLS13`,
    );
  const chosen = suites.filter((suite) => !TLS13.includes(suite)).map(openSslName);
  return { minVersion, ciphers: suites.length === 0 ? undefined : [...TLS13, ...chosen].join(':') };
}

function openSslName(suite: string): string {
  const [, exchange, , cipher = ''] = /^TLS_(ECDHE_(RSA|ECDSA)|RSA)_WITH_([A-Z0-9_]+)$/.exec(suite) ?? [];
  const spelt = cipher
    .replace(/^AES_(\d+)_/, 'AES$1-')
    .replace(/-CBC_/, '-')
    .replace(/^CHACHA20_POLY1305(_SHA256)?$/, 'CHACHA20-POLY1305')
    .replaceAll('_', '-');
  const name = exchange === 'RSA' ? spelt : `${exchange?.replace('_', '-')}-${spelt}`;
  if (exchange === undefined || !getCiphers().includes(name.toLowerCase()))
    throw new ConfigError(
      `invalid value for flag --tls-cipher-suites: this server has no suite ${JSON.stringify(suite)}`,
    );
  return name;
}
