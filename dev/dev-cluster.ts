import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Logger } from 'pino';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { connect } from '#client/client.ts';
import { readServerOptions } from '#server/config/options.ts';
import { parseFlags } from '#server/config/parse-flags.ts';
import type { Inside } from '#server/stages/inside.ts';
import { type RunningServer, startServer } from '#server/stages/start-server.ts';
import { applyManifests } from './apply-manifests.ts';
import { type ClusterFiles, ensureCertificates } from './certificates.ts';
import { connectionAs, connectionFile } from './connection.ts';
import { dialInside } from './dial-inside.ts';
import { type End, type RunningManager, startManager, startScheduler, startSimulatedNodes } from './start-programs.ts';

const LOOPBACK = '127.0.0.1';

/** The addresses that mean all addresses of a machine. */
const ALL = ['0.0.0.0', '::'];

export interface DevClusterOptions {
  readonly naming: Naming;
  /**
   * The absolute path of a folder for objects and certificates. Undefined means that they are lost when the cluster
   * ends.
   */
  readonly data: string | undefined;
  /** The port of the API server. 0 means a free port. */
  readonly port: number;
  /** The address of the API server; by default 127.0.0.1. */
  readonly address?: string;
  /** Further names and addresses in the server's certificate. */
  readonly hosts?: readonly string[];
  /** The number of simulated nodes. If there are any, a scheduler runs too. */
  readonly nodes: number;
  /** A folder of manifests. They are applied before the cluster is ready. */
  readonly definitions: string | undefined;
  /** More flags of the API server. */
  readonly serverFlags: readonly string[];
  /** With false, the controllers do not run. */
  readonly controllers?: boolean | undefined;
  /** The parts of this process that the server uses. A store among them replaces the store in `data`. */
  readonly inside?: Inside | undefined;
  /** The signal for a start that is not complete. When it aborts, the start ends and rejects. */
  readonly until?: AbortSignal | undefined;
  readonly log: Logger;
}

/** An API server and a controller manager in this process; with nodes also a scheduler. */
export interface DevCluster {
  readonly url: string;
  /** The text of an administrator's connection file. */
  readonly connectionFile: string;
  readonly files: ClusterFiles;
  readonly server: RunningServer;
  /** Whether the controllers have read all objects and act. */
  readonly controllersAct: boolean;
  /** Resolves when all parts of the cluster have ended. */
  stop(): Promise<void>;
}

/**
 * Starts a cluster in this process, with the usual server and controllers and a separate store. A start that fails
 * leaves nothing behind.
 *
 * @throws ConfigError that names the setting to change
 */
export async function startDevCluster(options: DevClusterOptions): Promise<DevCluster> {
  const { naming, data, definitions, log, inside, until, address = LOOPBACK } = options;
  const reached = ALL.includes(address) ? LOOPBACK : address;
  const folder = data ?? usable('a temporary folder', () => mkdtempSync(path.join(tmpdir(), 'orch-dev-')));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // The process may end without a call of `stop`.
  if (data === undefined) process.once('exit', remove);
  const ends: End[] = [];
  let server: RunningServer | undefined;
  const stop = async () => {
    await Promise.all(ends.map((end) => end()));
    await server?.stop();
    if (data !== undefined) return;
    process.off('exit', remove);
    remove();
  };
  try {
    const hosts = [reached, ...(options.hosts ?? [])];
    const files = usable(folder, () => ensureCertificates(path.join(folder, 'certificates'), naming, hosts));
    const port = options.port === 0 ? await freePort(address) : options.port;
    until?.throwIfAborted();
    const endpoint =
      data === undefined || inside?.store !== undefined ? 'memory:' : `sqlite://${path.join(data, 'store')}`;
    const invocation = parseFlags([
      ...serverFlags(naming, files, endpoint),
      `--bind-address=${address}`,
      `--advertise-address=${reached}`,
      `--secure-port=${port}`,
      ...options.serverFlags,
    ]);
    if (!('flags' in invocation)) throw new TypeError('the flags start no server');
    server = await startServer(readServerOptions(invocation.flags), log, undefined, undefined, inside);
    until?.throwIfAborted();
    const url = `https://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
    const place = { naming, dialAs: dialInside(server), files, log };
    const manager = options.controllers === false ? NONE : startManager(place);
    ends.push(manager.stop);
    if (options.nodes > 0) {
      ends.push(startScheduler(place));
      ends.push(await startSimulatedNodes(place, options.nodes));
    }
    if (definitions !== undefined) {
      const client = await connect(connectionAs('admin', url, files), { naming });
      const guarded = client.guarded(() => until?.throwIfAborted(), until);
      await applyManifests(definitions, guarded).finally(() => client.close());
    }
    until?.throwIfAborted();
    return {
      url,
      connectionFile: connectionFile(url, files, naming),
      files,
      server,
      get controllersAct() {
        return manager.acts;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function serverFlags({ profile, product }: Naming, files: ClusterFiles, endpoint: string): string[] {
  return [
    `--naming=${profile}`,
    `--datastore-endpoint=${endpoint}`,
    `--tls-cert-file=${files.file('server.crt')}`,
    `--tls-private-key-file=${files.file('server.key')}`,
    `--client-ca-file=${files.file('ca.crt')}`,
    `--service-account-issuer=https://${product}.default.svc`,
    `--service-account-key-file=${files.file('sa.pub')}`,
    `--service-account-signing-key-file=${files.file('sa.key')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--authorization-mode=Node,RBAC',
    '--enable-bootstrap-token-auth',
    '--allow-privileged=true',
    '--shutdown-delay-duration=0s',
  ];
}

const NONE: RunningManager = { acts: true, stop: async () => {} };

/** @throws ConfigError if the program cannot create its files on the disk */
function usable<T>(what: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof ConfigError ? error : new ConfigError(`cannot use ${what}: ${(error as Error).message}`);
  }
}

/** A port of an address that is free now. */
function freePort(address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', ({ message }) => reject(new ConfigError(`cannot listen on ${address}: ${message}`)));
    server.listen(0, address, () => {
      const bound = server.address();
      server.close(() => resolve(typeof bound === 'object' && bound !== null ? bound.port : 0));
    });
  });
}
