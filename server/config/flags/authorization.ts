import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const authorizationFlags = [
  {
    name: 'authorization-config',
    type: 'string',
    built: true,
    about: 'file of authorizers in order, in place of the other flags; changes of webhooks are taken up; since 1.30',
  },
  {
    name: 'authorization-mode',
    type: 'strings',
    default: '[AlwaysAllow]',
    built: true,
    about: 'authorizers in order: AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node',
  },
  {
    name: 'authorization-policy-file',
    type: 'string',
    built: true,
    about: 'policies of the mode ABAC, one JSON object a line',
  },
  {
    name: 'authorization-webhook-cache-authorized-ttl',
    type: 'duration',
    default: '5m0s',
    built: true,
    about: 'how long an answer of the mode Webhook that allows counts',
  },
  {
    name: 'authorization-webhook-cache-unauthorized-ttl',
    type: 'duration',
    default: '30s',
    built: true,
    about: 'how long any other answer of the mode Webhook counts',
  },
  {
    name: 'authorization-webhook-config-file',
    type: 'string',
    built: true,
    about: 'connection file of the server that the mode Webhook asks',
  },
  {
    name: 'authorization-webhook-version',
    type: 'string',
    default: 'v1beta1',
    built: true,
    about: 'version of the reviews that are sent: v1 or v1beta1',
  },
] as const satisfies readonly FlagDefinition[];
