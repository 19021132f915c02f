import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const authorizationFlags = [
  {
    name: 'authorization-always-allow-paths',
    type: 'strings',
    default: '[/healthz,/readyz,/livez]',
    built: true,
    about: 'paths that are served without authorization; a path that ends in * includes all paths below it',
  },
  {
    name: 'authorization-kubeconfig',
    type: 'string',
    built: true,
    about: 'connection file for access reviews; the default is the file of --kubeconfig',
  },
  {
    name: 'authorization-webhook-cache-authorized-ttl',
    type: 'duration',
    default: '10s',
    built: true,
    about: 'time for which a permission is cached',
  },
  {
    name: 'authorization-webhook-cache-unauthorized-ttl',
    type: 'duration',
    default: '10s',
    built: true,
    about: 'time for which a refusal is cached',
  },
] as const satisfies readonly FlagDefinition[];
