import { setTimeout as sleep } from 'node:timers/promises';
import { apiRequest } from '#scripts/api-request.ts';
import type { Asked, EncryptionKeys } from '../encryption-keys.ts';
import { damageIn, storageTool } from '../storage-tool.ts';
import type { Journal } from './journal.ts';
import type { System } from './system.ts';

/** The time for which the rotation waits for an answer of a replica, in milliseconds. */
const PATIENCE = 3000;

/** Changes the key of secrets again and again, as operators do, until stopped. */
export async function rotate(system: System, keys: EncryptionKeys, journal: Journal, stop: AbortSignal): Promise<void> {
  const { members, pki, ports, recorder } = system;
  const replicas: Asked[] = ports.map((port) => ({
    request: (method, path) => apiRequest(pki, port, method, path, undefined, PATIENCE),
  }));
  const etcd = `--etcd-servers=${members.processes.map(({ endpoint }) => endpoint).join(',')}`;
  /** Repeats work until it succeeds, because faults may interrupt it. */
  const insist = async (work: () => Promise<boolean>): Promise<void> => {
    while (!stop.aborted && !(await work().catch(() => false))) await sleep(200);
  };
  for (let old = 1; !stop.aborted; old++) {
    for (const order of [
      [old, old + 1],
      [old + 1, old],
    ]) {
      keys.use(...order);
      await keys.inForce(replicas, stop);
    }
    await insist(async () => {
      await storageTool('migrate', etcd, `--encryption-provider-config=${keys.file}`, '--rate=1000');
      return true;
    });
    // A replica that starts without the old key must not find values with that key, not even in the history.
    let rewritten = Number.POSITIVE_INFINITY;
    await insist(async () => {
      rewritten = await members.revision();
      return true;
    });
    await insist(async () => recorder.revision >= rewritten && (await members.compact(recorder.revision)));
    const trial = `--encryption-provider-config=${keys.trial(old + 1)}`;
    await insist(async () => {
      for (const damage of await damageIn(etcd, trial))
        if (damage.startsWith('not-opened')) journal.notOpened.push(`without key ${old}: ${damage}`);
      return true;
    });
    if (stop.aborted) return;
    keys.use(old + 1);
    await keys.inForce(replicas, stop);
    if (!stop.aborted) journal.count('keys changed');
  }
}
