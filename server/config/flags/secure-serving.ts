import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const secureServingFlags = [
  { name: 'bind-address', type: 'ip', default: '0.0.0.0', built: true, about: 'address to listen on' },
  {
    name: 'cert-dir',
    type: 'string',
    default: (naming) => `/var/run/${naming.product}`,
    built: true,
    about:
      'folder of apiserver.crt and apiserver.key, which the server uses without --tls-cert-file; if they are missing, it makes a self-signed certificate there',
  },
  {
    name: 'disable-http2-serving',
    type: 'bool',
    built: true,
    about: 'offer HTTP/1.1 only, which is cheaper for clients with few watches',
  },
  {
    name: 'http2-max-streams-per-connection',
    type: 'int',
    built: true,
    about: 'largest number of requests in progress on an HTTP/2 connection; 0 for 250',
  },
  {
    name: 'permit-address-sharing',
    type: 'bool',
    built: true,
    about:
      'always on: the server can listen on an address while connections of an earlier server are closing (SO_REUSEADDR)',
  },
  {
    name: 'permit-port-sharing',
    type: 'bool',
    built: true,
    about:
      'allow several servers to listen on the port (SO_REUSEPORT); the operating system distributes connections among them',
  },
  { name: 'secure-port', type: 'int', default: '6443', built: true, about: 'port to listen on, always with TLS' },
  { name: 'tls-cert-file', type: 'string', built: true, about: 'serving certificate (PEM), with its chain' },
  {
    name: 'tls-cipher-suites',
    type: 'strings',
    built: true,
    about: 'TLS 1.2 cipher suites that clients may use, by IANA name; TLS 1.3 suites are always available',
  },
  { name: 'tls-min-version', type: 'string', built: true, about: 'VersionTLS12 (default) or VersionTLS13' },
  { name: 'tls-private-key-file', type: 'string', built: true, about: 'key (PEM) of the serving certificate' },
  {
    name: 'tls-sni-cert-key',
    type: 'namedCertKey',
    default: '[]',
    built: true,
    about:
      'CERTFILE,KEYFILE[:NAME,…]: certificate for clients that ask for one of the names, or, without names, for a name in the certificate; may be repeated',
  },
] as const satisfies readonly FlagDefinition[];
