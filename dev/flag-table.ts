import { namingProfiles } from '#base/naming/create-naming.ts';
import type { FlagDefinition } from '#program/flags/flag-definition.ts';

/** Every flag of `orch-dev`. */
export const flagSections = {
  Cluster: [
    {
      name: 'naming',
      type: 'string',
      default: namingProfiles[0]!,
      built: true,
      about: `whose words the API server speaks: ${namingProfiles.join(', ')}`,
    },
    {
      name: 'data',
      type: 'string',
      built: true,
      about: 'a folder that keeps objects and certificates; without it everything is gone with the process',
    },
    { name: 'port', type: 'int', default: '0', built: true, about: 'the port; 0 takes one that is free' },
    {
      name: 'bind-address',
      type: 'ip',
      default: '127.0.0.1',
      built: true,
      about: 'the address to serve on; 0.0.0.0 for all of this machine, as in a container',
    },
    {
      name: 'hosts',
      type: 'strings',
      built: true,
      about: 'further names and addresses that clients may call it by: its certificate is good for them',
    },
    {
      name: 'nodes',
      type: 'int',
      built: true,
      about: 'how many simulated nodes there are, which run nothing; pods are scheduled where there are any',
    },
    { name: 'definitions', type: 'string', built: true, about: 'a folder of manifests that are applied first' },
    {
      name: 'emulated-version',
      type: 'strings',
      built: true,
      about: 'the release whose interface is served, as the API server takes it; the last one in upstream words',
    },
  ],
  Output: [
    {
      name: 'kubeconfig',
      type: 'string',
      built: true,
      about: 'where the connection file of an administrator is written',
    },
    { name: 'v', type: 'Level', built: true, about: 'how much is logged, on standard error' },
  ],
} as const satisfies Readonly<Record<string, readonly FlagDefinition[]>>;

/** A row of the table of flags. */
export type DevFlag = (typeof flagSections)[keyof typeof flagSections][number];

export const flagTable: readonly FlagDefinition[] = Object.values(flagSections).flat();
