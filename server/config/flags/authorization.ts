import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const authorizationFlags = [
  {
    name: 'authorization-config',
    type: 'string',
    built: true,
    about:
      'file with the authorizers in order, instead of the other flags; changes of webhooks are reloaded; since 1.30',
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
    about: 'file with the policies of the mode ABAC, one JSON object per line',
  },
  {
    name: 'authorization-webhook-cache-authorized-ttl',
    type: 'duration',
    default: '5m0s',
    built: true,
    about: 'time for which an answer of the webhook that allows a request is cached',
  },
  {
    name: 'authorization-webhook-cache-unauthorized-ttl',
    type: 'duration',
    default: '30s',
    built: true,
    about: 'time for which any other answer of the webhook is cached',
  },
  {
    name: 'authorization-webhook-config-file',
    type: 'string',
    built: true,
    about: 'connection file of the webhook for the authorization mode Webhook',
  },
  {
    name: 'authorization-webhook-version',
    type: 'string',
    default: 'v1beta1',
    built: true,
    about: 'version of the reviews that are sent: v1 or v1beta1',
  },
] as const satisfies readonly FlagDefinition[];
