import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const authenticationFlags = [
  {
    name: 'authentication-kubeconfig',
    type: 'string',
    built: true,
    about: 'connection file for token reviews; the default is the file of --kubeconfig',
  },
  {
    name: 'authentication-skip-lookup',
    type: 'bool',
    built: true,
    about: 'do not read the authorities for clients from the API server',
  },
  {
    name: 'authentication-token-webhook-cache-ttl',
    type: 'duration',
    default: '10s',
    built: true,
    about: 'time for which the review of a token is cached',
  },
  {
    name: 'authentication-tolerate-lookup-failure',
    type: 'bool',
    built: true,
    about: 'accepted for compatibility: failed lookups are repeated; until then, clients without a token are anonymous',
  },
  {
    name: 'client-ca-file',
    type: 'string',
    built: true,
    about: 'authorities (PEM) of client certificates; the default is the authorities of the API server',
  },
  {
    name: 'requestheader-allowed-names',
    type: 'strings',
    built: true,
    about: 'allowed common names of front proxies; the default allows any name that their authority has signed',
  },
  {
    name: 'requestheader-client-ca-file',
    type: 'string',
    built: true,
    about: 'authorities (PEM) of front proxies; the default is the authorities of the API server',
  },
  {
    name: 'requestheader-extra-headers-prefix',
    type: 'strings',
    default: '[x-remote-extra-]',
    built: true,
    about: 'prefix of the headers in which a front proxy passes on attributes of a user',
  },
  {
    name: 'requestheader-group-headers',
    type: 'strings',
    default: '[x-remote-group]',
    built: true,
    about: 'headers in which a front proxy passes on groups',
  },
  {
    name: 'requestheader-username-headers',
    type: 'strings',
    default: '[x-remote-user]',
    built: true,
    about: 'headers in which a front proxy passes on the user',
  },
] as const satisfies readonly FlagDefinition[];
