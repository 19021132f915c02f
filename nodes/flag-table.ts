import { namingProfiles } from '#base/naming/create-naming.ts';
import type { FlagDefinition } from '#program/flags/flag-definition.ts';

/** Every flag of the simulated nodes, by section. */
export const flagSections = {
  Nodes: [
    { name: 'nodes', type: 'int', default: '1', built: true, about: 'number of simulated nodes' },
    {
      name: 'name-prefix',
      type: 'string',
      default: 'node-',
      built: true,
      about: 'prefix of the names of nodes, before their number',
    },
    {
      name: 'capacity',
      type: 'mapStringString',
      default: 'cpu=8,memory=32Gi,ephemeral-storage=100Gi,pods=110',
      built: true,
      about: 'resources of each node',
    },
    {
      name: 'node-labels',
      type: 'mapStringString',
      built: true,
      about: 'labels of all nodes, in addition to the default ones',
    },
    { name: 'zones', type: 'strings', built: true, about: 'zones of the nodes, assigned in turn' },
    {
      name: 'pod-network',
      type: 'ip',
      default: '10.244.0.0',
      built: true,
      about: 'first address of pods; each node has 256 addresses',
    },
    {
      name: 'node-lease-duration',
      type: 'duration',
      default: '40s',
      built: true,
      about: 'duration of the lease of a node; a node renews its lease three times in this duration',
    },
    {
      name: 'node-status-report-frequency',
      type: 'duration',
      default: '5m0s',
      built: true,
      about: 'interval between two status updates of a node, changed or not',
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
      about: 'file with stages of pods, in addition to the default stages',
    },
    {
      name: 'events',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'write events about pods like a node agent: three at the start of a container',
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
      about:
        'write as the user of each node, by impersonation, so that the API server authorizes the writes like those of a node',
    },
  ],
  Serving: [
    {
      name: 'node-ip',
      type: 'ip',
      default: '127.0.0.1',
      built: true,
      about: 'address of all simulated nodes, for logs, commands and port-forwarding',
    },
    {
      name: 'port',
      type: 'int',
      default: '10250',
      built: true,
      about: 'port of the simulated nodes, with TLS; 0 for any free port',
    },
    {
      name: 'tls-cert-file',
      type: 'string',
      built: true,
      about: 'serving certificate (PEM), with its chain; the default is a new self-signed certificate',
    },
    { name: 'tls-private-key-file', type: 'string', built: true, about: 'key (PEM) of the serving certificate' },
    {
      name: 'client-ca-file',
      type: 'string',
      built: true,
      about: 'authorities (PEM) of allowed clients; without them, every client that reaches the port is allowed',
    },
  ],
  Connection: [
    {
      name: 'naming',
      type: 'string',
      default: namingProfiles[0]!,
      built: true,
      about: `naming of the API: ${namingProfiles.join(', ')}`,
    },
    {
      name: 'kubeconfig',
      type: 'string',
      built: true,
      about:
        "connection file with the address of the API server and the credentials to use; in a pod, the default is the pod's own service account",
    },
    {
      name: '{prefix}api-qps',
      type: 'float32',
      built: true,
      about: 'requests per second of all nodes together; 0 for no limit',
    },
    {
      name: '{prefix}api-burst',
      type: 'int',
      default: '100',
      built: true,
      about: 'number of requests that may be sent at once before --{prefix}api-qps limits them',
    },
  ],
  Logs: [
    {
      name: 'v',
      type: 'Level',
      built: true,
      about: 'verbosity of the log: debug messages from 4 on, trace messages from 6 on',
    },
  ],
} as const satisfies Readonly<Record<string, readonly FlagDefinition[]>>;

/** One flag of the table. */
export type NodesFlag = (typeof flagSections)[keyof typeof flagSections][number];

/** All flags, in the order of their sections. */
export const flagTable: readonly FlagDefinition[] = Object.values(flagSections).flat();
