import { StoreUnavailableError } from '#storage/object-store.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { keptData } from '#storage-etcd/testing/kept-data.ts';
import { startReplica } from './replica.ts';

let made: Promise<string> | undefined;

/**
 * An etcd that holds what every cluster has, roles and namespaces and all, as a first replica makes it: hundreds of
 * writes that are done once for all suites of this process. For suites that are not about a first start.
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
      // a busy machine keeps etcd from answering in time; what has been made stays
      if (tries < 5 && error instanceof StoreUnavailableError) continue;
      await etcd.stop();
      throw error;
    }
  }
}
