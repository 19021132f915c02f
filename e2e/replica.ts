import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming } from '#base/naming/create-naming.ts';
import type { NamingProfile } from '#base/naming/naming.ts';
import { type ApiAnswer, apiRequest } from '#scripts/api-request.ts';
import { makePki, type Pki } from '#scripts/pki.ts';
import { freePort, waitFor } from '#scripts/processes.ts';
import { replicaFlags } from '#scripts/replica-flags.ts';
import { startReplicaProcess } from '#scripts/replica-process.ts';

/** A built API server in a separate process. */
export interface Replica {
  readonly port: number;
  readonly pki: Pki;
  readonly pid: number;
  /** Its output. */
  readonly log: string;
  request(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
  /** Asks it to end, and kills it after 10 s. */
  stop(): Promise<void>;
  /** Kills it (SIGKILL). */
  kill(): Promise<void>;
  /** Sends SIGSTOP or SIGCONT. Connections of a frozen replica stay open, but it does not answer. */
  freeze(): void;
  thaw(): void;
}

export interface ReplicaOptions {
  readonly profile?: NamingProfile;
  /** The port. By default, it is a free port that differs from test to test, because tests may run at the same time. */
  readonly port?: number;
  /** Additional flags. If a flag occurs twice, the last one is used. */
  readonly flags?: readonly string[];
  /** The folder `dist/` of the built server. */
  readonly dist?: string;
  /** A module that is loaded into the process before its program. */
  readonly preload?: string;
  /** A file for the longest turns of its event loop (see scripts/loop-probe.ts). */
  readonly loopProbe?: string;
}

/** Makes a new PKI folder in a temporary place. */
export function temporaryPki(profile: NamingProfile = 'orch'): Pki {
  return makePki(mkdtempSync(path.join(tmpdir(), 'e2e-')), createNaming(profile));
}

/** Starts a replica and waits until it is ready. */
export async function startReplica(pki: Pki, etcdServers: string, options: ReplicaOptions = {}): Promise<Replica> {
  const { profile = 'orch', dist = path.resolve(import.meta.dirname, '../dist') } = options;
  const port = options.port ?? (await freePort(26443 + Math.floor(Math.random() * 1000)));
  const flags = [...replicaFlags(createNaming(profile), pki, { etcdServers, port }), ...(options.flags ?? [])];
  const server = startReplicaProcess(
    `replica on port ${port}`,
    path.join(dist, 'server/main.js'),
    flags,
    pki.file(`replica-${port}-${Date.now()}.log`),
    {
      ...(options.loopProbe !== undefined && { loopProbe: options.loopProbe }),
      ...(options.preload !== undefined && { nodeFlags: ['--import', options.preload] }),
    },
  );
  const request = (method: string, path: string, body?: unknown) => apiRequest(pki, port, method, path, body);
  try {
    await waitFor(server, 60, async () => (await request('GET', '/readyz')).status === 200);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const { pid, log } = server;
  return {
    port,
    pki,
    pid,
    log,
    request,
    stop: () => server.stop(),
    kill: async () => {
      process.kill(pid, 'SIGKILL');
      while (server.exit() === undefined) await sleep(10);
    },
    freeze: () => void process.kill(pid, 'SIGSTOP'),
    thaw: () => void process.kill(pid, 'SIGCONT'),
  };
}
