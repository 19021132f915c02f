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
      about: `naming of the API: ${namingProfiles.join(', ')}`,
    },
    {
      name: 'data',
      type: 'string',
      built: true,
      about: 'folder for objects and certificates; without it they are kept in memory and lost at the end',
    },
    { name: 'port', type: 'int', default: '0', built: true, about: 'port to listen on; 0 for any free port' },
    {
      name: 'bind-address',
      type: 'ip',
      default: '127.0.0.1',
      built: true,
      about: 'address to listen on; 0.0.0.0 for all addresses of the machine, as in a container',
    },
    {
      name: 'hosts',
      type: 'strings',
      built: true,
      about: "additional names and addresses in the server's certificate",
    },
    {
      name: 'nodes',
      type: 'int',
      built: true,
      about: 'number of simulated nodes, which run no containers; with at least one, pods are scheduled',
    },
    { name: 'definitions', type: 'string', built: true, about: 'folder of manifests that are applied at the start' },
    {
      name: 'emulated-version',
      type: 'strings',
      built: true,
      about:
        'release of the interface that the API server serves; the default is the newest release with upstream naming',
    },
  ],
  Output: [
    {
      name: 'kubeconfig',
      type: 'string',
      built: true,
      about: 'path at which the connection file of an administrator is written',
    },
    { name: 'v', type: 'Level', built: true, about: 'verbosity of the log on standard error' },
  ],
} as const satisfies Readonly<Record<string, readonly FlagDefinition[]>>;

/** A row of the table of flags. */
export type DevFlag = (typeof flagSections)[keyof typeof flagSections][number];

export const flagTable: readonly FlagDefinition[] = Object.values(flagSections).flat();
