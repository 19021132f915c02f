import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const authenticationFlags = [
  {
    name: 'authentication-kubeconfig',
    type: 'string',
    built: true,
    about: 'connection file for asking who holds a token; the one of --kubeconfig by default',
  },
  {
    name: 'authentication-skip-lookup',
    type: 'bool',
    built: true,
    about: 'do not learn from the API server which authorities it trusts for clients',
  },
  {
    name: 'authentication-token-webhook-cache-ttl',
    type: 'duration',
    default: '10s',
    built: true,
    about: 'how long the answer about a token is good',
  },
  {
    name: 'authentication-tolerate-lookup-failure',
    type: 'bool',
    built: true,
    about: 'accepted: what cannot be learnt is asked for again, and clients without a token are strangers until then',
  },
  {
    name: 'client-ca-file',
    type: 'string',
    built: true,
    about: 'authorities (PEM) of client certificates; those of the API server by default',
  },
  {
    name: 'requestheader-allowed-names',
    type: 'strings',
    built: true,
    about: 'common names of front proxies; any that their authority has signed by default',
  },
  {
    name: 'requestheader-client-ca-file',
    type: 'string',
    built: true,
    about: 'authorities (PEM) of front proxies; those of the API server by default',
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
