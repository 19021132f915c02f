import { namingProfiles } from '#base/naming/create-naming.ts';
import type { FlagDefinition } from '#program/flags/flag-definition.ts';

/** Every flag of the simulated nodes, by section. */
export const flagSections = {
  Nodes: [
    { name: 'nodes', type: 'int', default: '1', built: true, about: 'how many nodes there are' },
    {
      name: 'name-prefix',
      type: 'string',
      default: 'node-',
      built: true,
      about: 'what the name of a node has before its number',
    },
    {
      name: 'capacity',
      type: 'mapStringString',
      default: 'cpu=8,memory=32Gi,ephemeral-storage=100Gi,pods=110',
      built: true,
      about: 'the resources of each node',
    },
    { name: 'node-labels', type: 'mapStringString', built: true, about: 'labels of all nodes, besides their own' },
    { name: 'zones', type: 'strings', built: true, about: 'zones that the nodes are in, one after the other' },
    {
      name: 'pod-network',
      type: 'ip',
      default: '10.244.0.0',
      built: true,
      about: 'the first address of pods; each node has 256 of them',
    },
    {
      name: 'node-lease-duration',
      type: 'duration',
      default: '40s',
      built: true,
      about: 'how long a node counts as alive after it renewed its lease; it renews the lease three times in this time',
    },
    {
      name: 'node-status-report-frequency',
      type: 'duration',
      default: '5m0s',
      built: true,
      about: 'how often the status of a node is written, changed or not',
    },
    {
      name: 'unpullable-images',
      type: 'strings',
      default: '*:404,*:non-existent,*.invalid/*',
      built: true,
      about: 'names of images that cannot be pulled; * stands for any characters',
    },
    {
      name: 'stages',
      type: 'string',
      built: true,
      about: 'a file that says what happens to pods besides what always does',
    },
    {
      name: 'events',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'write events about pods, as nodes do: three when a container starts',
    },
    {
      name: 'metrics',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'serve the usage of nodes and pods through the API server, unless another program does',
    },
    {
      name: 'as-nodes',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'write as the user of each node, by impersonation, so that the API server judges it like a node',
    },
  ],
  Serving: [
    {
      name: 'node-ip',
      type: 'ip',
      default: '127.0.0.1',
      built: true,
      about: 'address of all nodes, at which logs, commands and ports are answered',
    },
    {
      name: 'port',
      type: 'int',
      default: '10250',
      built: true,
      about: 'port for that, with TLS; 0 for one that is free',
    },
    {
      name: 'tls-cert-file',
      type: 'string',
      built: true,
      about: 'serving certificate (PEM), with its chain; without one, one is made that signs itself',
    },
    { name: 'tls-private-key-file', type: 'string', built: true, about: 'key (PEM) of the serving certificate' },
    {
      name: 'client-ca-file',
      type: 'string',
      built: true,
      about: 'authorities (PEM) of the clients that may ask; without them anyone who reaches the port may',
    },
  ],
  Connection: [
    {
      name: 'naming',
      type: 'string',
      default: namingProfiles[0]!,
      built: true,
      about: `whose words the API server speaks: ${namingProfiles.join(', ')}`,
    },
    {
      name: 'kubeconfig',
      type: 'string',
      built: true,
      about: "connection file: where the API server is, and as whom to speak; in a pod, the pod's own by default",
    },
    {
      name: '{prefix}api-qps',
      type: 'float32',
      built: true,
      about: 'requests a second of all nodes together; 0 for no limit',
    },
    {
      name: '{prefix}api-burst',
      type: 'int',
      default: '100',
      built: true,
      about: 'requests that may be made at once before --{prefix}api-qps counts',
    },
  ],
  Logs: [
    {
      name: 'v',
      type: 'Level',
      built: true,
      about: 'how much is logged: from 4 on also what helps to find mistakes (debug), from 6 on everything (trace)',
    },
  ],
} as const satisfies Readonly<Record<string, readonly FlagDefinition[]>>;

/** One flag of the table. */
export type NodesFlag = (typeof flagSections)[keyof typeof flagSections][number];

/** All flags, in the order of their sections. */
export const flagTable: readonly FlagDefinition[] = Object.values(flagSections).flat();
