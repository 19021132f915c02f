import { X509Certificate } from 'node:crypto';
import { certificatesIn } from '#base/x509/pem.ts';

/** The settings with which extension servers trust the same clients and front proxies as this server. */
export interface TrustedClients {
  /** The authorities (PEM) of client certificates. Undefined means that client certificates are not trusted. */
  readonly clientCa: string | undefined;
  readonly frontProxy:
    | {
        /** The authorities, as PEM texts. */
        readonly ca: string;
        /** The allowed names. An empty list means that any name is allowed. */
        readonly allowedNames: readonly string[];
        readonly usernameHeaders: readonly string[];
        readonly groupHeaders: readonly string[];
        readonly extraHeaderPrefixes: readonly string[];
      }
    | undefined;
}

/** The keys that the config map may have. */
type Key =
  | 'client-ca-file'
  | 'requestheader-allowed-names'
  | 'requestheader-client-ca-file'
  | 'requestheader-extra-headers-prefix'
  | 'requestheader-group-headers'
  | 'requestheader-username-headers';

/**
 * The new data of the config map, from its current data and from what this replica trusts. During a change of
 * authorities, replicas may trust different ones. So the entries of other replicas stay, except expired certificates.
 * Malformed texts are replaced. `now` is in milliseconds since the epoch.
 */
export function trustData(
  current: Readonly<Record<string, string>>,
  { clientCa, frontProxy }: TrustedClients,
  now: number,
): Record<string, string> {
  const data = new Map(Object.entries(current));
  const bundle = (key: Key, own: string): void => {
    data.set(key, joinBundles(data.get(key) ?? '', own, now));
  };
  const list = (key: Key, own: readonly string[]): void => {
    data.set(key, JSON.stringify([...new Set([...readList(data.get(key)), ...own])]));
  };
  if (clientCa !== undefined) bundle('client-ca-file', clientCa);
  if (frontProxy !== undefined) {
    bundle('requestheader-client-ca-file', frontProxy.ca);
    list('requestheader-allowed-names', frontProxy.allowedNames);
    list('requestheader-username-headers', frontProxy.usernameHeaders);
    list('requestheader-group-headers', frontProxy.groupHeaders);
    list('requestheader-extra-headers-prefix', frontProxy.extraHeaderPrefixes);
  }
  return Object.fromEntries(data);
}

/**
 * The certificates of two bundles, each once. Certificates of `there` that have expired or are malformed are left out.
 */
function joinBundles(there: string, own: string, now: number): string {
  const kept = certificatesIn(there).filter((block) => {
    try {
      return Date.parse(new X509Certificate(block).validTo) > now;
    } catch {
      return false;
    }
  });
  return [...new Set([...kept, ...certificatesIn(own)])].join('');
}

function readList(text: string | undefined): string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
