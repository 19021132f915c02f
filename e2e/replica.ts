import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ApiAnswer, apiRequest } from '../scripts/api-request.ts';
import { makePki, type Pki } from '../scripts/pki.ts';
import { freePort, startBackground, waitFor } from '../scripts/processes.ts';
import { nodeFlags, replicaFlags } from '../scripts/replica-flags.ts';
import { createNaming } from '../server/naming/create-naming.ts';
import type { NamingProfile } from '../server/naming/naming.ts';

/** A built API server in a process of its own. */
export interface Replica {
  readonly port: number;
  readonly pki: Pki;
  request(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
  stop(): Promise<void>;
}

/** A fresh PKI folder in a temporary place. */
export function temporaryPki(profile: NamingProfile = 'orch'): Pki {
  return makePki(mkdtempSync(path.join(tmpdir(), 'e2e-')), createNaming(profile));
}

/** Starts a replica from `dist/` and waits until it is ready. */
export async function startReplica(pki: Pki, etcdServers: string, profile: NamingProfile = 'orch'): Promise<Replica> {
  const port = await freePort(26443);
  const main = path.resolve(import.meta.dirname, '../dist/server/main.js');
  const flags = replicaFlags(createNaming(profile), pki, { etcdServers, port });
  const server = startBackground(
    `replica on port ${port}`,
    process.execPath,
    [...nodeFlags, main, ...flags],
    pki.file(`replica-${port}.log`),
  );
  const request = (method: string, path: string, body?: unknown) => apiRequest(pki, port, method, path, body);
  try {
    await waitFor(server, 60, async () => (await request('GET', '/readyz')).status === 200);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { port, pki, request, stop: () => server.stop() };
}
