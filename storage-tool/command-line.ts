import { parseArgs } from 'node:util';
import { ConfigError } from '#base/errors/config-error.ts';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import { type DatastoreEndpoint, parseEndpoint } from '#storage/endpoint.ts';

/** The flags of every command with their descriptions. Flags without a value are marked. */
const FLAGS = [
  ['datastore-endpoint', 'data to work on: addresses of etcd, or sqlite:///PATH of a file that no server has open', ''],
  ['etcd-servers', 'addresses of etcd, instead of --datastore-endpoint', 'http://127.0.0.1:2379'],
  ['etcd-prefix', 'prefix of all keys in the store', '/registry'],
  ['etcd-cafile', 'CA bundle (PEM) to verify the certificate of etcd', ''],
  ['etcd-certfile', 'client certificate (PEM) for etcd', ''],
  ['etcd-keyfile', 'private key (PEM) of the client certificate', ''],
  ['naming', `naming profile of the data: ${namingProfiles.join(', ')}; by default read from the data`, ''],
  ['encryption-provider-config', 'encryption configuration file of the replicas', ''],
  ['rate', 'for migrate: largest number of values to write per second', '50'],
  ['mark', 'for migrate: file that stores the progress; with the same file, a new run continues from there', ''],
  ['output', 'output format: text or json (-o)', 'text'],
] as const;

const SWITCHES = [
  ['repair', 'for verify: repair data that can be derived from other data'],
  ['overwrite', 'for backup: replace an existing file'],
  ['dry-run', 'for migrate: show what would be written, and write nothing'],
  ['version', 'show the build and the release of the interface'],
  ['help', 'show this text (-h)'],
] as const;

/** The parsed command line. */
export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
  readonly servers: readonly string[];
  /** The arguments of the command. */
  readonly endpoint: DatastoreEndpoint;
  /** The prefix without a slash at the end. */
  readonly prefix: string;
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** Undefined means that the data decides. */
  readonly naming: Naming | undefined;
  readonly encryptionFile: string;
  readonly rate: number;
  /** An empty value means none. */
  readonly markFile: string;
  readonly json: boolean;
  readonly repair: boolean;
  readonly dryRun: boolean;
  readonly overwrite: boolean;
}

/**
 * Reads a command line. Returns `version` or undefined if it asks for the version or for help. @throws ConfigError with
 * advice
 */
export function readCommandLine(words: readonly string[]): Invocation | 'version' | undefined {
  const options = Object.fromEntries([
    ...FLAGS.map(([name]) => [name, { type: 'string', ...(name === 'output' && { short: 'o' }) }]),
    ...SWITCHES.map(([name]) => [name, { type: 'boolean', ...(name === 'help' && { short: 'h' }) }]),
  ]);
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
  const given = new Map(Object.entries(parsed.values));
  const text = (flag: (typeof FLAGS)[number][0]): string =>
    String(given.get(flag) ?? FLAGS.find(([name]) => name === flag)![2]);
  const [command, ...args] = parsed.positionals;
  if (given.has('version')) return 'version';
  if (given.has('help') || command === undefined) return undefined;
  const profile = namingProfiles.find((known) => known === text('naming'));
  if (text('naming') !== '' && profile === undefined)
    throw new ConfigError(`--naming must be ${namingProfiles.join(' or ')}`);
  if (text('output') !== 'text' && text('output') !== 'json') throw new ConfigError('--output must be text or json');
  const rate = Number(text('rate'));
  if (!(rate > 0)) throw new ConfigError('--rate must be a positive number');
  if ((text('etcd-certfile') === '') !== (text('etcd-keyfile') === ''))
    throw new ConfigError('--etcd-certfile and --etcd-keyfile belong together: give both or none');
  if (text('etcd-certfile') !== '' && text('etcd-cafile') === '')
    throw new ConfigError('--etcd-certfile needs --etcd-cafile, which verifies etcd');
  const servers = text('etcd-servers').split(',');
  if (given.has('datastore-endpoint') && given.has('etcd-servers'))
    throw new ConfigError('give --etcd-servers or --datastore-endpoint, not both');
  const endpoint = given.has('datastore-endpoint')
    ? readEndpoint(text('datastore-endpoint'))
    : ({ kind: 'etcd', servers } as const);
  return {
    command,
    args,
    endpoint,
    servers: endpoint.kind === 'etcd' ? endpoint.servers : [],
    prefix: `/${text('etcd-prefix').replace(/^\/+|\/+$/g, '')}`,
    caFile: text('etcd-cafile'),
    certFile: text('etcd-certfile'),
    keyFile: text('etcd-keyfile'),
    naming: profile === undefined ? undefined : createNaming(profile),
    encryptionFile: text('encryption-provider-config'),
    rate,
    markFile: text('mark'),
    json: text('output') === 'json',
    repair: given.has('repair'),
    dryRun: given.has('dry-run'),
    overwrite: given.has('overwrite'),
  };
}

/** @throws ConfigError if the text is not an endpoint of persistent data */
export function readEndpoint(text: string): DatastoreEndpoint {
  const endpoint = parseEndpoint(text);
  if (endpoint === undefined || endpoint.kind === 'memory')
    throw new ConfigError(`${JSON.stringify(text)} is neither an address of etcd nor sqlite:///PATH`);
  return endpoint;
}

/** The text of `--help`. `commands` has a line about each command, by name. */
export function helpText(commands: readonly (readonly [name: string, about: string])[]): string {
  const lines = (rows: readonly (readonly [string, string])[]): string =>
    rows.map(([name, about]) => `  ${name.padEnd(32)} ${about}\n`).join('');
  return [
    'Maintains the data that API servers store in etcd or in a file. The output never contains the values of secrets.\n\n',
    'orch-storage COMMAND [FLAGS]\n\n',
    lines(commands),
    '\nFlags:\n',
    lines([
      ...FLAGS.map(([name, about, value]) => [`--${name}`, value === '' ? about : `${about} (${value})`] as const),
      ...SWITCHES.map(([name, about]) => [`--${name}`, about] as const),
    ]),
    '\nExit codes: 0 for success; 1 if verify or restore-check found damage, migrate left something, or the named release lacks something; 2 if the command failed.\n',
  ].join('');
}
