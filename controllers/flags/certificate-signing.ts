import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const certificateSigningFlags = [
  {
    name: 'cluster-signing-cert-file',
    type: 'string',
    built: true,
    about: 'authority (PEM) for all signers without a separate one',
  },
  {
    name: 'cluster-signing-duration',
    type: 'duration',
    default: '8760h0m0s',
    built: true,
    about: 'lifetime of signed certificates, unless the request asks for a shorter one',
  },
  {
    name: 'cluster-signing-key-file',
    type: 'string',
    built: true,
    about: 'key (PEM) of --cluster-signing-cert-file',
  },
  {
    name: 'cluster-signing-{prefix}apiserver-client-cert-file',
    type: 'string',
    built: true,
    about: 'authority (PEM) of the signer apiserver-client',
  },
  {
    name: 'cluster-signing-{prefix}apiserver-client-key-file',
    type: 'string',
    built: true,
    about: 'key (PEM) of the authority of the signer apiserver-client',
  },
  {
    name: 'cluster-signing-kubelet-client-cert-file',
    type: 'string',
    built: true,
    about: 'authority (PEM) of the signer kubelet-client',
  },
  {
    name: 'cluster-signing-kubelet-client-key-file',
    type: 'string',
    built: true,
    about: 'key (PEM) of the authority of the signer kubelet-client',
  },
  {
    name: 'cluster-signing-kubelet-serving-cert-file',
    type: 'string',
    built: true,
    about: 'authority (PEM) of the signer kubelet-serving',
  },
  {
    name: 'cluster-signing-kubelet-serving-key-file',
    type: 'string',
    built: true,
    about: 'key (PEM) of the authority of the signer kubelet-serving',
  },
  {
    name: 'cluster-signing-legacy-unknown-cert-file',
    type: 'string',
    built: true,
    about: 'authority (PEM) of the signer legacy-unknown',
  },
  {
    name: 'cluster-signing-legacy-unknown-key-file',
    type: 'string',
    built: true,
    about: 'key (PEM) of the authority of the signer legacy-unknown',
  },
] as const satisfies readonly FlagDefinition[];
