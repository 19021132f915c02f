import { setTimeout as sleep } from 'node:timers/promises';
import { apiRequest } from '../../scripts/api-request.ts';
import type { Asked, EncryptionKeys } from '../encryption-keys.ts';
import { storageTool } from '../storage-tool.ts';
import type { Journal } from './journal.ts';
import type { System } from './system.ts';

/** How long a replica may take to answer, in milliseconds. */
const PATIENCE = 3000;

/** Changes the key of secrets again and again, as operators do, until stopped. */
export async function rotate(system: System, keys: EncryptionKeys, journal: Journal, stop: AbortSignal): Promise<void> {
  const { members, pki, ports, recorder } = system;
  const replicas: Asked[] = ports.map((port) => ({
    request: (method, path) => apiRequest(pki, port, method, path, undefined, PATIENCE),
  }));
  const flags = [
    `--etcd-servers=${members.processes.map(({ endpoint }) => endpoint).join(',')}`,
    `--encryption-provider-config=${keys.file}`,
    '--rate=1000',
  ];
  /** Until it is done: what it needs may be away. */
  const insist = async (work: () => Promise<boolean>): Promise<void> => {
    while (!stop.aborted && !(await work().catch(() => false))) await sleep(200);
  };
  for (let old = 1; !stop.aborted; old++) {
    for (const order of [
      [old, old + 1],
      [old + 1, old],
    ]) {
      keys.use(...order);
      await keys.takenUp(replicas, stop);
    }
    await insist(async () => {
      await storageTool('migrate', ...flags);
      return true;
    });
    // nobody who starts without the old key shall meet it, in the history either
    let rewritten = Number.POSITIVE_INFINITY;
    await insist(async () => {
      rewritten = await members.revision();
      return true;
    });
    await insist(async () => recorder.revision >= rewritten && (await members.compact(recorder.revision)));
    if (stop.aborted) return;
    keys.use(old + 1);
    await keys.takenUp(replicas, stop);
    if (!stop.aborted) journal.count('keys changed');
  }
}
