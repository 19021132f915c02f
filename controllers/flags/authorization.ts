import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const authorizationFlags = [
  {
    name: 'authorization-always-allow-paths',
    type: 'strings',
    default: '[/healthz,/readyz,/livez]',
    built: true,
    about: 'paths that every client may ask for; one that ends in * stands for all below it',
  },
  {
    name: 'authorization-kubeconfig',
    type: 'string',
    built: true,
    about: 'connection file for asking what users may; the one of --kubeconfig by default',
  },
  {
    name: 'authorization-webhook-cache-authorized-ttl',
    type: 'duration',
    default: '10s',
    built: true,
    about: 'how long a permission is good',
  },
  {
    name: 'authorization-webhook-cache-unauthorized-ttl',
    type: 'duration',
    default: '10s',
    built: true,
    about: 'how long a refusal is good',
  },
] as const satisfies readonly FlagDefinition[];
