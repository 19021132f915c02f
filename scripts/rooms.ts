/** A folder whose files belong together, and what it may import. */
export interface Room {
  /** From the root of the project. */
  readonly folder: string;
  /** One line that says what is in it. */
  readonly holds: string;
  /** It does no I/O: of Node.js it uses only what computes. */
  readonly pure?: true;
  /** The only rooms that it may import, where that is not all that stand above it in the table. */
  readonly imports?: readonly string[];
}

/** What a client of the interface may use of the server. */
const FOR_CLIENTS = ['base', 'naming', 'json', 'errors', 'x509', 'schema', 'connection', 'flags'].map(
  (room) => `server/${room}`,
);

/**
 * The rooms of this project from the ground up: each may import those that stand before it in this list, and none after
 * it. What is in no room (`e2e`, `bench`, `scripts`) may import everything and is imported by none. The README shows this
 * table.
 */
export const rooms: readonly Room[] = [
  {
    folder: 'storage-etcd',
    holds: 'objects in etcd: transactions, ranges, leases, the feed. Knows nothing of HTTP or kinds',
  },
  {
    folder: 'base/text',
    holds: 'what any room may need: clocks, waiting, bounded and expiring caches, token buckets, watching a file',
  },
  { folder: 'base/naming', pure: true, holds: 'the words of the interface, in both naming profiles' },
  {
    folder: 'program/metrics',
    pure: true,
    holds: 'what is counted: the table of families with their life cycle, their series, and how they are written',
  },
  {
    folder: 'program/tracing',
    holds: 'where the time of a request goes: its stages and steps, which the log and traces tell',
  },
  { folder: 'base/json', pure: true, holds: 'JSON texts and values: exact parsing, writing, copying, comparing' },
  {
    folder: 'base/errors',
    pure: true,
    holds: 'what clients and operators are told: Status, field errors, mistakes in flags and files',
  },
  { folder: 'base/x509', holds: 'reading and making certificates, and reading the keys of tokens' },
  {
    folder: 'schema/descriptors',
    holds: 'descriptors of all kinds from `proto/`, and what reads and completes values by them',
  },
  {
    folder: 'program/connection',
    holds: 'where a server is, how to prove who one is, and connections with it that are kept',
  },
  { folder: 'program/flags', holds: 'reading flags and the files that they name, for any program' },
  {
    folder: 'program/process',
    holds: 'a process that is seen from inside: what it measures of itself, its profiles, how much it logs',
  },
  { folder: 'server/encryption', holds: 'values encrypted in the store: which ones, with what keys, and KMS plug-ins' },
  { folder: 'server/config', holds: 'flags of the API server, feature gates, and the options that they make' },
  {
    folder: 'schema/validation',
    pure: true,
    holds: 'rules that many kinds share: names, labels, selectors, quantities, metadata',
  },
  {
    folder: 'schema/quota',
    pure: true,
    holds: 'what objects use up of a quota, for those who charge and those who count',
  },
  { folder: 'schema/patch', pure: true, holds: 'JSON, merge and strategic merge patches' },
  { folder: 'schema/apply', pure: true, holds: 'server-side apply: which manager owns which field' },
  { folder: 'server/cache', holds: 'the watch cache that serves reads from memory' },
  {
    folder: 'server/api',
    holds:
      'the contract of verbs, plug-ins and filters: request context, answers, served resources, rules of kinds, selectors. No sockets, no etcd',
  },
  { folder: 'server/codecs', holds: 'objects as JSON, YAML, protobuf, tables and events, in every version' },
  { folder: 'server/verbs', holds: 'get, list, watch, create, update, patch, delete: once, for every kind' },
  { folder: 'server/outbound', holds: 'calls of other servers: where services are, and HTTPS' },
  { folder: 'server/kinds', pure: true, holds: 'what single kinds add: defaults, validation, columns. No I/O' },
  { folder: 'server/allocation', holds: 'addresses and ports, which only one object may hold' },
  { folder: 'server/bootstrap', holds: 'objects that every cluster has' },
  {
    folder: 'server/priority',
    holds: 'whose turn it is where not all can be served at once: flow schemas, fair queues',
  },
  {
    folder: 'server/subresources',
    holds: 'subresources that are no view of their object: scale, eviction, logs, proxies',
  },
  { folder: 'server/authentication', holds: 'who makes a request' },
  { folder: 'server/authorization', holds: 'whether they may' },
  { folder: 'server/admission', holds: 'plug-ins that change or refuse writes; admission webhooks' },
  { folder: 'server/openapi', holds: 'the published API documents' },
  {
    folder: 'server/custom-resources',
    holds: 'kinds that users define: definitions, their schemas and rules, and how they are served',
  },
  {
    folder: 'server/aggregation',
    holds: 'groups that other servers serve behind this address: who serves what, and passing requests on',
  },
  { folder: 'server/observability', holds: 'health, metrics, logs, traces, audit' },
  { folder: 'server/http', holds: 'sockets in, sockets out: listener, filters, dispatch, writing' },
  { folder: 'server/stages', holds: 'starting and stopping a replica, stage by stage' },
  {
    folder: 'server/workers',
    holds: 'several processes on one port (`--workers`): supervisor, and what they ask each other',
  },
  { folder: 'server', holds: 'the programs: `main.ts`, `healthcheck.ts`' },
  { folder: 'client', holds: 'a client of the interface, for programs', imports: FOR_CLIENTS },
  {
    folder: 'controllers',
    holds: 'the controller manager and its controllers: what acts on what is stored',
    imports: [...FOR_CLIENTS, 'program/metrics', 'program/process', 'schema/quota', 'client'],
  },
  { folder: 'storage', holds: "the operator's tool on what is stored: verify, migrate, back up" },
  {
    folder: 'cli',
    holds: 'the command line',
    imports: [...FOR_CLIENTS, 'schema/validation', 'schema/patch', 'server/kinds', 'client'],
  },
];

/** The room of a file; undefined where it is in none. */
export function roomOf(file: string, table: readonly Room[] = rooms): Room | undefined {
  const parts = file.split('/').slice(0, -1);
  const folder = parts[0] === 'server' ? parts.slice(0, 2).join('/') : parts[0];
  return table.find((room) => room.folder === folder);
}
