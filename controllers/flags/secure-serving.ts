import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const secureServingFlags = [
  { name: 'bind-address', type: 'ip', default: '0.0.0.0', built: true, about: 'address to listen on' },
  {
    name: 'cert-dir',
    type: 'string',
    built: true,
    about: 'accepted: the certificate that is made where --tls-cert-file is not given stays in memory',
  },
  {
    name: 'http2-max-streams-per-connection',
    type: 'int',
    built: true,
    about: 'accepted: it speaks of connections of HTTP/2, which are not offered',
  },
  {
    name: 'permit-address-sharing',
    type: 'bool',
    built: true,
    about: 'listen where connections of an earlier instance are still being closed: always so here',
  },
  {
    name: 'permit-port-sharing',
    type: 'bool',
    built: true,
    about: 'let several instances listen on the port (SO_REUSEPORT)',
  },
  {
    name: 'secure-port',
    type: 'int',
    default: '10257',
    built: true,
    about: 'port for health and metrics, with TLS; 0 for none',
  },
  {
    name: 'tls-cert-file',
    type: 'string',
    built: true,
    about: 'serving certificate (PEM), with its chain; without one, one is made that signs itself',
  },
  {
    name: 'tls-cipher-suites',
    type: 'strings',
    built: true,
    about: 'suites of TLS 1.2 that clients may use, by their names of IANA; those of TLS 1.3 are always there',
  },
  { name: 'tls-min-version', type: 'string', built: true, about: 'VersionTLS12 (default) or VersionTLS13' },
  { name: 'tls-private-key-file', type: 'string', built: true, about: 'key (PEM) of the serving certificate' },
  { name: 'tls-sni-cert-key', type: 'namedCertKey', default: '[]' },
] as const satisfies readonly FlagDefinition[];
