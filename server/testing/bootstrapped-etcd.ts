import { StoreUnavailableError } from '#storage/object-store.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { keptData } from '#storage-etcd/testing/kept-data.ts';
import { startReplica } from './replica.ts';

let made: Promise<string> | undefined;

/**
 * Starts an etcd with the objects that a first replica creates in every cluster, such as roles and namespaces. These
 * are hundreds of writes, so they are done once for all suites of this process. It is for suites that are not about a
 * first start.
 */
export async function startBootstrappedEtcd(): Promise<EtcdProcess> {
  made ??= bootstrap();
  return EtcdProcess.start({ data: await made });
}

async function bootstrap(): Promise<string> {
  const etcd = await EtcdProcess.start();
  for (let tries = 1; ; tries++) {
    try {
      const replica = await startReplica(etcd.endpoint);
      await replica.stop();
      return keptData(etcd);
    } catch (error) {
      // On a busy machine etcd may answer too late. Objects that already exist stay.
      if (tries < 5 && error instanceof StoreUnavailableError) continue;
      await etcd.stop();
      throw error;
    }
  }
}
