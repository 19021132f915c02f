import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const secureServingFlags = [
  { name: 'bind-address', type: 'ip', default: '0.0.0.0', built: true, about: 'address to listen on' },
  {
    name: 'cert-dir',
    type: 'string',
    built: true,
    about:
      'accepted for compatibility: without --tls-cert-file, the program keeps its self-signed certificate in memory',
  },
  {
    name: 'http2-max-streams-per-connection',
    type: 'int',
    built: true,
    about: 'accepted for compatibility: the program does not offer HTTP/2',
  },
  {
    name: 'permit-address-sharing',
    type: 'bool',
    built: true,
    about:
      'always on: the program can listen on an address while connections of an earlier one are closing (SO_REUSEADDR)',
  },
  {
    name: 'permit-port-sharing',
    type: 'bool',
    built: true,
    about: 'allow several instances to listen on the port (SO_REUSEPORT)',
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
    about: 'serving certificate (PEM), with its chain; the default is a new self-signed certificate',
  },
  {
    name: 'tls-cipher-suites',
    type: 'strings',
    built: true,
    about: 'TLS 1.2 cipher suites that clients may use, by IANA name; TLS 1.3 suites are always available',
  },
  { name: 'tls-min-version', type: 'string', built: true, about: 'VersionTLS12 (default) or VersionTLS13' },
  { name: 'tls-private-key-file', type: 'string', built: true, about: 'key (PEM) of the serving certificate' },
  { name: 'tls-sni-cert-key', type: 'namedCertKey', default: '[]' },
] as const satisfies readonly FlagDefinition[];
