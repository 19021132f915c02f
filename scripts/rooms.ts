/** A folder of related files inside a package. */
export interface Room {
  /** The path from the root of the project. */
  readonly folder: string;
  /** One line about its content. */
  readonly holds: string;
  /** It does no I/O: of Node.js it uses only what computes. */
  readonly pure?: true;
}

/** A folder at the root of the project. Code of other packages reaches it by name, as `#base/json/parse.ts`. */
export interface Package extends Room {
  /** The allowed imports: packages, or single rooms of a package. */
  readonly imports: readonly string[];
  /** Its rooms from the ground up: each may import earlier ones. Absent if it has none. */
  readonly rooms?: readonly Room[];
}

const FOR_PROGRAMS = ['base', 'schema', 'program'];

/**
 * The packages of this project from the ground up, and their rooms. `e2e`, `bench` and `scripts` may import everything
 * and are imported by no package. `examples` import the client by the name of its package. The README shows this table.
 */
export const packages: readonly Package[] = [
  {
    folder: 'base',
    holds: 'values, texts and time: what every package needs. It knows nothing of the other packages',
    imports: [],
    rooms: [
      { folder: 'base/text', pure: true, holds: 'texts: numbers in Go’s spelling, trimming, random suffixes, secrets' },
      { folder: 'base/time', holds: 'clocks, timers, waiting, and turns of the event loop' },
      { folder: 'base/collections', holds: 'bounded and expiring caches, tables of names from outside, sorting' },
      { folder: 'base/limits', holds: 'token buckets' },
      { folder: 'base/naming', pure: true, holds: 'the words of the interface, in both naming profiles' },
      { folder: 'base/json', pure: true, holds: 'JSON texts and values: exact parsing, writing, copying, comparing' },
      { folder: 'base/errors', pure: true, holds: 'Status, field errors, and mistakes in flags and files' },
      { folder: 'base/release', pure: true, holds: 'the releases of the interface, and what each of them has' },
      { folder: 'base/x509', holds: 'reading and making certificates, and reading the keys of tokens' },
    ],
  },
  {
    folder: 'schema',
    holds: 'the description of every kind from `proto/`, and the code that follows it. Only `schema/generate` does I/O',
    imports: ['base'],
    rooms: [
      { folder: 'schema/values', pure: true, holds: 'quantities, times, durations, versions, and other single values' },
      {
        folder: 'schema/descriptors',
        pure: true,
        holds: 'messages, fields, kinds and resources, as `proto/` describes them',
      },
      {
        folder: 'schema/objects',
        pure: true,
        holds: 'objects by their descriptor: decoding, defaults, canonical form',
      },
      {
        folder: 'schema/words',
        pure: true,
        holds: 'the descriptions of kinds and fields for people, from `proto/words/`',
      },
      { folder: 'schema/generated', pure: true, holds: 'TypeScript types of all messages; generated, not committed' },
      {
        folder: 'schema/validation',
        pure: true,
        holds: 'rules that many kinds share: names, labels, selectors, metadata',
      },
      {
        folder: 'schema/conversion',
        pure: true,
        holds: 'defaults of built-in kinds, and conversion between their versions',
      },
      { folder: 'schema/patch', pure: true, holds: 'JSON, merge and strategic merge patches' },
      { folder: 'schema/apply', pure: true, holds: 'server-side apply: which manager owns which field' },
      { folder: 'schema/yaml', pure: true, holds: 'parsing and writing YAML' },
      { folder: 'schema/quota', pure: true, holds: 'how much of a quota objects use' },
      {
        folder: 'schema/claims',
        pure: true,
        holds: 'addresses and ports that services hold, and their claims in the store',
      },
      { folder: 'schema/generate', holds: 'the program that reads `proto/` and writes what is generated from it' },
    ],
  },
  {
    folder: 'program',
    holds: 'what every program of this project needs: flags, files, connections, metrics',
    imports: ['base', 'schema'],
    rooms: [
      { folder: 'program/files', holds: 'watching a file for changes, and making folders' },
      {
        folder: 'program/operator-files',
        holds: 'the one reader of files that operators write: schemas, validators, places of mistakes',
      },
      { folder: 'program/flags', holds: 'flags, and the certificates and addresses that they name' },
      {
        folder: 'program/metrics',
        pure: true,
        holds: 'the table of metric families, their series, and how they are written',
      },
      { folder: 'program/tracing', holds: 'the stages and steps of a request, for the log and for traces' },
      {
        folder: 'program/connection',
        holds: 'connection files, proxies, kept connections, and the frames of web sockets',
      },
      {
        folder: 'program/encryption',
        holds: 'values encrypted in the store: which ones, with what keys, and KMS plug-ins',
      },
      { folder: 'program/process', holds: 'metrics of the process itself, its profiles, and its verbosity' },
    ],
  },
  {
    folder: 'storage',
    holds: 'the contract of stores, the test suite that each store must pass, and compaction',
    imports: ['base'],
  },
  {
    folder: 'storage-embedded',
    holds:
      'objects in a file or in memory, by the SQLite of Node.js: one process, no etcd. Knows nothing of HTTP or kinds',
    imports: ['base', 'storage'],
  },
  {
    folder: 'storage-etcd',
    holds: 'objects in etcd: transactions, ranges, leases, the feed. Knows nothing of HTTP or kinds',
    imports: ['base', 'storage'],
  },
  {
    folder: 'client',
    holds: 'the client library: typed and dynamic objects, informers, work queues, leader election, streams',
    imports: FOR_PROGRAMS,
  },
  {
    folder: 'server',
    holds: 'the API server: `main.ts` and its rooms',
    imports: [...FOR_PROGRAMS, 'storage', 'storage-embedded', 'storage-etcd'],
    rooms: [
      { folder: 'server/config', holds: 'flags of the API server, feature gates, and the options that they make' },
      { folder: 'server/cache', holds: 'the watch cache that serves reads from memory' },
      {
        folder: 'server/api',
        holds: 'the contract of verbs, plug-ins and filters: request context, answers, selectors. No sockets, no etcd',
      },
      {
        folder: 'server/resources',
        holds: 'the served resources: registration, the resource set, the registry, reading',
      },
      { folder: 'server/codecs', holds: 'objects as JSON, YAML, protobuf, tables and events, in every version' },
      { folder: 'server/verbs', holds: 'get, list, watch, create, update, patch, delete: once, for every kind' },
      { folder: 'server/outbound', holds: 'calls of other servers: the addresses of services, and HTTPS' },
      {
        folder: 'server/expressions',
        holds: 'expressions that users write: parsing, types, estimates, running, and the functions of each release',
      },
      { folder: 'server/kinds', pure: true, holds: 'what single kinds add: validation, preparation, columns. No I/O' },
      { folder: 'server/allocation', holds: 'addresses and ports, which only one object may hold' },
      { folder: 'server/bootstrap', holds: 'objects that every cluster has' },
      { folder: 'server/priority', holds: 'priority and fairness: flow schemas and fair queues' },
      {
        folder: 'server/subresources',
        holds: 'subresources with their own kinds or streams: scale, eviction, logs, proxies',
      },
      { folder: 'server/authentication', holds: 'which user makes a request' },
      { folder: 'server/authorization', holds: 'whether the user may make the request' },
      { folder: 'server/admission', holds: 'plug-ins that change or refuse writes; admission webhooks' },
      { folder: 'server/openapi', holds: 'the published API documents' },
      { folder: 'server/custom-resources', holds: 'kinds that users define: definitions, schemas, rules, conversion' },
      { folder: 'server/aggregation', holds: 'groups that extension servers serve, behind the address of this server' },
      {
        folder: 'server/stored-form',
        holds: 'the door for `storage-tool`: the form in which objects are stored',
      },
      { folder: 'server/observability', holds: 'health, metrics, logs, traces, audit' },
      {
        folder: 'server/http',
        holds: 'the way of a request through the listener, filters and dispatch, and the writing of its answer',
      },
      { folder: 'server/stages', holds: 'starting and stopping a replica, stage by stage' },
      { folder: 'server/workers', holds: 'several processes on one port (`--workers`): supervisor and messages' },
    ],
  },
  {
    folder: 'controllers',
    holds: 'the controller manager and its controllers, which act on stored objects',
    // Types of expressions in policies are checked here.
    imports: [...FOR_PROGRAMS, 'client', 'server/expressions'],
  },
  {
    folder: 'scheduler',
    holds: 'the scheduler, which chooses a node for each pod',
    // The frame of a program of which one instance leads is the controller manager's.
    imports: [...FOR_PROGRAMS, 'client', 'controllers'],
    rooms: [
      { folder: 'scheduler/state', pure: true, holds: 'nodes with their pods, in the form that decisions use' },
      { folder: 'scheduler/filters', pure: true, holds: 'why a node cannot take a pod: one file for each reason' },
      {
        folder: 'scheduler/scores',
        pure: true,
        holds: 'why one node is better than another: one file for each reason',
      },
      {
        folder: 'scheduler/profiles',
        holds: 'which filters and scores are used for which pods, and the file that configures them',
      },
      {
        folder: 'scheduler/decide',
        pure: true,
        holds: 'the choice of a node, preemption, and the messages about both',
      },
      { folder: 'scheduler/queue', holds: 'the order in which pods are scheduled, and when they are tried again' },
    ],
  },
  {
    folder: 'nodes',
    holds: 'simulated nodes, for development and tests only. They run no containers',
    imports: [...FOR_PROGRAMS, 'client'],
  },
  {
    folder: 'dev',
    holds: 'a cluster in one process: the server, the controllers, the scheduler and simulated nodes',
    imports: [
      ...FOR_PROGRAMS,
      ...['storage', 'storage-embedded', 'client', 'server', 'controllers', 'scheduler', 'nodes'],
    ],
  },
  {
    folder: 'test-cluster',
    holds: 'the package of clusters for tests: a cluster in its own process, its clock, and faults',
    imports: [...FOR_PROGRAMS, 'storage', 'storage-embedded', 'client', 'server', 'dev'],
  },
  {
    folder: 'storage-tool',
    holds: "the operator's tool on what is stored: verify, migrate, back up",
    // One room of the server, because which form an object is stored in follows from the rules of the server's kinds.
    imports: [...FOR_PROGRAMS, 'client', 'storage', 'storage-embedded', 'storage-etcd', 'server/stored-form'],
  },
  {
    folder: 'console',
    holds: 'the console: the process that reads from a server, and the page in the browser',
    imports: [...FOR_PROGRAMS, 'client'],
    rooms: [
      { folder: 'console/protocol', pure: true, holds: 'the messages between the page and the process' },
      { folder: 'console/process', holds: 'informers, sessions and answers of `orchctl console`' },
      { folder: 'console/page', holds: 'the page in the browser' },
    ],
  },
  {
    folder: 'cli',
    holds: 'the command line: one folder for each command in `commands/`, and the rooms that commands share',
    imports: [...FOR_PROGRAMS, 'client', 'console'],
    rooms: [
      { folder: 'cli/start', holds: 'running the program with the code that the engine compiled in an earlier call' },
      { folder: 'cli/framework', holds: 'the parts of a command line: streams, flags, errors, questions' },
      { folder: 'cli/manifests', holds: 'files, folders and addresses of manifests, read as objects' },
      { folder: 'cli/preferences', holds: 'what a user prefers: defaults of flags, aliases, programs for credentials' },
      { folder: 'cli/connection', holds: 'the session with a server: settings, discovery, kinds by name' },
      { folder: 'cli/command-line', holds: 'commands, their help, and running one' },
      { folder: 'cli/output', holds: 'printers: tables, YAML, JSON, JSONPath, templates' },
      { folder: 'cli/connection-files', holds: 'connection files as documents that commands change' },
      { folder: 'cli/content', holds: 'data of config maps and secrets from files and literals' },
      { folder: 'cli/kustomize', holds: 'kustomizations built into objects' },
      { folder: 'cli/resources', holds: 'the objects that a command line names' },
      { folder: 'cli/typed', holds: 'objects in the version that a command knows' },
      { folder: 'cli/write', holds: 'what writing commands share: dry runs, reports, patches' },
      { folder: 'cli/streams', holds: 'logs, terminals and processes in containers' },
      { folder: 'cli/commands', holds: 'one folder for each command' },
    ],
  },
];

/** The place of a file: its package, and its room if the package has rooms and the file is in one. */
export interface Place {
  readonly package: Package;
  readonly room: Room | undefined;
}

/** The place of a file; undefined if it is in no package, or in a folder that is not a room of a package with rooms. */
export function placeOf(file: string, table: readonly Package[] = packages): Place | undefined {
  const [top, ...rest] = file.split('/');
  const found = table.find(({ folder }) => folder === top);
  if (found === undefined) return undefined;
  if (found.rooms === undefined || rest.length < 2) return { package: found, room: undefined };
  const room = found.rooms.find(({ folder }) => folder === `${top}/${rest[0]}`);
  return room === undefined ? undefined : { package: found, room };
}
