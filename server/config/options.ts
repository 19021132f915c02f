import { isIPv4, isIPv6 } from 'node:net';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { parseRelease } from '#base/release/parse-release.ts';
import { defaultRelease, type Release } from '#base/release/release.ts';
import { atLeast, text, together } from '#program/flags/flag-readers.ts';
import { type DatastoreEndpoint, ENDPOINT_FORMS, isEtcdAddress, parseEndpoint } from '#storage/endpoint.ts';
import { type AdmissionOptions, readAdmission } from './admission-options.ts';
import { type AuditOptions, readAudit } from './audit-options.ts';
import type { AuthenticationSettings } from './authentication-options.ts';
import { readAuthentication } from './authentication-options.ts';
import type { AuthorizationMode } from './authorization-options.ts';
import { type AuthorizationOptions, readAuthorization, readAuthorizationModes } from './authorization-options.ts';
import { checkEffectlessFlags } from './effectless-flags.ts';
import { createFeatureGates, type FeatureGateSet } from './feature-gates.ts';
import { type HealthOptions, readHealth } from './health-options.ts';
import { type HttpOptions, readHttp } from './http-options.ts';
import { type MetricsOptions, readMetrics } from './metrics-options.ts';
import type { Flags } from './parse-flags.ts';
import { parseRuntimeConfig, type RuntimeConfig } from './runtime-config.ts';
import type { ServingOptions } from './serving-options.ts';
import { readServing } from './serving-options.ts';
import { readTracing, type TracingOptions } from './tracing-options.ts';
import { readVerbs, type VerbOptions } from './verb-options.ts';
import { readVerbosity } from './verbosity.ts';

/** All settings of an operator for one replica, checked and in the units that the code uses. Paths are unchanged. */
export interface ServerOptions {
  readonly naming: Naming;
  /** The emulated release. */
  readonly release: Release;
  readonly gates: FeatureGateSet;
  readonly runtimeConfig: RuntimeConfig;
  readonly etcd: EtcdOptions;
  readonly serving: ServingOptions;
  readonly http: HttpOptions;
  readonly authentication: AuthenticationSettings;
  /** The modes in order, without repetition. */
  readonly authorizationModes: readonly AuthorizationMode[];
  readonly authorization: AuthorizationOptions;
  readonly audit: AuditOptions;
  readonly metrics: MetricsOptions;
  /** Undefined means that nothing is traced. */
  readonly tracing: TracingOptions | undefined;
  /** The number of processes that share the port. */
  readonly workers: number;
  /** The time limit of requests, except watches. */
  readonly requestTimeoutMs: number;
  readonly verbs: VerbOptions;
  readonly admission: AdmissionOptions;
  readonly health: HealthOptions;
  readonly eventTtlSeconds: number;
  /** One network per address family. */
  readonly serviceClusterIpRanges: readonly string[];
  /** The first and the last node port of services. */
  readonly serviceNodePortRange: readonly [number, number];
  readonly nodeAgent: NodeAgentOptions;
  readonly aggregation: AggregationOptions;
  /**
   * Whether this server calls services (webhooks, extension servers) at their endpoints instead of their cluster IPs.
   */
  readonly callsEndpoints: boolean;
  /** The limit in bytes per second for each direction of upgraded connections; 0 means no limit. */
  readonly connectionBytesPerSecond: number;
  readonly ownService: OwnServiceOptions;
  /** Whether the server maintains the initial objects of priority and fairness. */
  readonly keepsFlowControl: boolean;
  /** Whether the API documents describe fields. */
  readonly describesFields: boolean;
  /** Undefined means not set. */
  readonly verbosity: number | undefined;
  readonly logFormat: 'json' | 'text';
  /** The names and values of all flags, in readable form. */
  readonly flags: readonly (readonly [name: string, value: string])[];
  /** Warnings about the flags for the operator. */
  readonly warnings: readonly string[];
}

/** A resource that is stored in a separate etcd. */
export interface EtcdOverride {
  /** The group in its short form. */
  readonly group: string;
  readonly plural: string;
  readonly servers: readonly string[];
}

export interface EtcdOptions {
  /** The store of the objects. It is etcd or in this process. */
  readonly endpoint: DatastoreEndpoint;
  readonly overrides: readonly EtcdOverride[];
  readonly prefix: string;
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** How long a start waits for an etcd that does not answer yet, in milliseconds. */
  readonly startTimeoutMs: number;
  /** The interval of compaction; 0 means never. */
  readonly compactionIntervalMs: number;
  /** How long new keys may join a lease. */
  readonly leaseReuseSeconds: number;
  /**
   * The configuration of encrypted values; undefined for none. `reloads` says whether changes of the file are applied.
   */
  readonly encryption: { readonly file: string; readonly reloads: boolean } | undefined;
}

/** The service through which workloads reach this system. */
export interface OwnServiceOptions {
  /** Whether replicas write its endpoints. */
  readonly writesEndpoints: boolean;
  /** The node port of the service; 0 for none. */
  readonly nodePort: number;
}

/** How this server connects to extension servers. */
export interface AggregationOptions {
  /** The certificate that the server presents to them; undefined for none. */
  readonly identity: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Whether their redirects are forwarded to clients. */
  readonly passesRedirects: boolean;
}

/** How this server connects to the agents on nodes. */
export interface NodeAgentOptions {
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** Undefined means that agents are not verified. */
  readonly caFile: string | undefined;
  readonly preferredAddressTypes: readonly string[];
  /** The time limit for a connection. */
  readonly timeoutMs: number;
}

/**
 * Turns parsed flags into options. Checks rules that concern several flags.
 * @throws ConfigError with advice
 */
export function readServerOptions(flags: Flags): ServerOptions {
  // It is empty if an environment file of an earlier release does not set it.
  const named = flags.get('emulated-version') || defaultRelease.name;
  const release = parseRelease('emulated-version', named, flags.naming);
  const gates = createFeatureGates(flags.get('feature-gates'), release);
  const serving = readServing(flags);
  const authorizationModes = readAuthorizationModes(flags, gates);
  return {
    naming: flags.naming,
    release,
    gates,
    runtimeConfig: parseRuntimeConfig(flags.get('runtime-config'), flags.naming),
    etcd: readEtcd(flags),
    serving,
    http: readHttp(flags),
    authentication: readAuthentication(flags, serving, authorizationModes, gates),
    authorizationModes,
    authorization: readAuthorization(flags, authorizationModes),
    audit: readAudit(flags),
    metrics: readMetrics(flags),
    tracing: readTracing(flags),
    workers: atLeast(1, flags.get('workers'), 'workers'),
    requestTimeoutMs: atLeast(1, flags.get('request-timeout'), 'request-timeout'),
    verbs: readVerbs(flags),
    admission: readAdmission(flags),
    health: readHealth(flags),
    eventTtlSeconds: Math.ceil(atLeast(1000, flags.get('event-ttl'), 'event-ttl') / 1000),
    serviceClusterIpRanges: readClusterIpRanges(flags.get('service-cluster-ip-range')),
    serviceNodePortRange: flags.get('service-node-port-range'),
    nodeAgent: readNodeAgent(flags),
    aggregation: readAggregation(flags),
    callsEndpoints: flags.get('enable-aggregator-routing'),
    connectionBytesPerSecond: atLeast(0, flags.get('max-connection-bytes-per-sec'), 'max-connection-bytes-per-sec'),
    ownService: readOwnService(flags),
    keepsFlowControl: flags.get('enable-priority-and-fairness'),
    describesFields: flags.get('openapi-descriptions'),
    verbosity: readVerbosity(flags),
    logFormat: flags.get('logging-format') === 'text' ? 'text' : 'json',
    flags: flags.shown,
    warnings: [...flags.warnings, ...gates.warnings, ...checkEffectlessFlags(flags, release)],
  };
}

function readNodeAgent(flags: Flags): NodeAgentOptions {
  const certFile = text(flags.get('kubelet-client-certificate'));
  const keyFile = text(flags.get('kubelet-client-key'));
  together('kubelet-client-certificate', certFile, 'kubelet-client-key', keyFile);
  return {
    certFile,
    keyFile,
    caFile: text(flags.get('kubelet-certificate-authority')),
    preferredAddressTypes: flags.get('kubelet-preferred-address-types'),
    timeoutMs: atLeast(1, flags.get('kubelet-timeout'), 'kubelet-timeout'),
  };
}

function readAggregation(flags: Flags): AggregationOptions {
  const certFile = text(flags.get('proxy-client-cert-file'));
  const keyFile = text(flags.get('proxy-client-key-file'));
  together('proxy-client-cert-file', certFile, 'proxy-client-key-file', keyFile);
  return {
    identity: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
    passesRedirects: !flags.get('aggregator-reject-forwarding-redirect'),
  };
}

function readOwnService(flags: Flags): OwnServiceOptions {
  const reconciler = flags.get('endpoint-reconciler-type');
  if (reconciler !== 'lease' && reconciler !== 'none')
    throw new ConfigError(
      `invalid value for flag --endpoint-reconciler-type: ${JSON.stringify(reconciler)} is neither lease nor none`,
    );
  const nodePort = flags.get('{product}-service-node-port');
  const [first, last] = flags.get('service-node-port-range');
  if (nodePort !== 0 && (nodePort < first || nodePort > last))
    throw new ConfigError(
      `flag --${flags.naming.product}-service-node-port must be 0, or in --service-node-port-range (${first}-${last})`,
    );
  return { writesEndpoints: reconciler === 'lease', nodePort };
}

/**
 * @throws ConfigError
 */
function checkServers(flag: string, servers: readonly string[]): void {
  for (const server of servers)
    if (!isEtcdAddress(server))
      throw new ConfigError(
        `invalid value for flag --${flag}: ${JSON.stringify(server)} is not an address like http://127.0.0.1:2379`,
      );
}

/**
 * Reads entries of the form `GROUP/RESOURCE#ADDRESS;ADDRESS`.
 * @throws ConfigError
 */
function readOverrides(flags: Flags): EtcdOverride[] {
  return flags.get('etcd-servers-overrides').map((setting) => {
    const [, group, plural, addresses] = /^([a-z0-9.-]*)\/([a-z0-9-]+)#(.+)$/.exec(setting) ?? [];
    if (group === undefined || plural === undefined || addresses === undefined)
      throw new ConfigError(
        `invalid value for flag --etcd-servers-overrides: ${JSON.stringify(setting)} is not GROUP/RESOURCE#ADDRESS;ADDRESS`,
      );
    const servers = addresses.split(';');
    checkServers('etcd-servers-overrides', servers);
    return { group: flags.naming.shortForm(group), plural, servers };
  });
}

/**
 * Reads `--etcd-servers` and `--datastore-endpoint`. They mean the same, but the latter also accepts other stores.
 * @throws ConfigError
 */
function readEndpoint(flags: Flags): DatastoreEndpoint {
  const servers = flags.get('etcd-servers');
  const given = text(flags.get('datastore-endpoint'));
  if (given === undefined) {
    if (servers.length === 0)
      throw new ConfigError(
        'flag --etcd-servers is missing: give the addresses of etcd, separated by commas, or another --datastore-endpoint',
      );
    checkServers('etcd-servers', servers);
    return { kind: 'etcd', servers };
  }
  const endpoint = parseEndpoint(given);
  if (endpoint === undefined)
    throw new ConfigError(
      `invalid value for flag --datastore-endpoint: ${JSON.stringify(given)} is not ${ENDPOINT_FORMS}`,
    );
  if (servers.length > 0) throw new ConfigError('give --etcd-servers or --datastore-endpoint, not both');
  if (endpoint.kind === 'etcd') return endpoint;
  for (const flag of ['etcd-cafile', 'etcd-certfile'] as const)
    if (text(flags.get(flag)) !== undefined)
      throw new ConfigError(`flag --${flag} is about etcd, and --datastore-endpoint=${given} is none: leave it out`);
  if (flags.get('etcd-servers-overrides').length > 0)
    throw new ConfigError('flag --etcd-servers-overrides needs an etcd as --datastore-endpoint too');
  if (flags.get('workers') > 1)
    throw new ConfigError(
      `--datastore-endpoint=${given} belongs to one process: leave --workers at 1, or give the addresses of etcd`,
    );
  return endpoint;
}

function readEtcd(flags: Flags): EtcdOptions {
  const backend = flags.get('storage-backend');
  if (backend !== '' && backend !== 'etcd3')
    throw new ConfigError(`invalid value for flag --storage-backend: ${JSON.stringify(backend)} is not etcd3`);
  const encryptionFile = text(flags.get('encryption-provider-config'));
  const reloads = flags.get('encryption-provider-config-automatic-reload');
  if (reloads && encryptionFile === undefined)
    throw new ConfigError(
      'flag --encryption-provider-config-automatic-reload needs --encryption-provider-config, the file to look at',
    );
  const certFile = text(flags.get('etcd-certfile'));
  const keyFile = text(flags.get('etcd-keyfile'));
  together('etcd-certfile', certFile, 'etcd-keyfile', keyFile);
  const prefix = `/${flags.get('etcd-prefix').replace(/^\/+|\/+$/g, '')}`;
  if (prefix === '/')
    throw new ConfigError('flag --etcd-prefix must not be empty: all keys of this system lie under it');
  return {
    endpoint: readEndpoint(flags),
    overrides: readOverrides(flags),
    prefix,
    caFile: text(flags.get('etcd-cafile')),
    certFile,
    keyFile,
    startTimeoutMs: atLeast(0, flags.get('etcd-start-timeout'), 'etcd-start-timeout'),
    compactionIntervalMs: atLeast(0, flags.get('etcd-compaction-interval'), 'etcd-compaction-interval'),
    leaseReuseSeconds: atLeast(0, flags.get('lease-reuse-duration-seconds'), 'lease-reuse-duration-seconds'),
    encryption: encryptionFile === undefined ? undefined : { file: encryptionFile, reloads },
  };
}

function readClusterIpRanges(value: string): readonly string[] {
  const ranges = value === '' ? [] : value.split(',').map((range) => range.trim());
  for (const range of ranges)
    if (!isNetwork(range))
      throw new ConfigError(
        `invalid value for flag --service-cluster-ip-range: ${JSON.stringify(range)} is not a network like 10.0.0.0/24`,
      );
  const families = new Set(ranges.map((range) => range.includes(':')));
  if (ranges.length > families.size)
    throw new ConfigError('flag --service-cluster-ip-range takes at most one network of each address family');
  return ranges;
}

function isNetwork(range: string): boolean {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(range) ?? [];
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
}
