import { EtcdProcess } from '../../storage-etcd/testing/etcd-process.ts';
import { keptData } from '../../storage-etcd/testing/kept-data.ts';
import { startReplica } from './replica.ts';

const made = new Map<string, Promise<string>>();

/**
 * An etcd that holds what every cluster has, roles and namespaces and all, as the first replica with these flags makes it:
 * hundreds of writes that are done once for all suites of this process. For suites that are not about a first start.
 */
export async function startBootstrappedEtcd(...flags: string[]): Promise<EtcdProcess> {
  const key = flags.join(' ');
  let data = made.get(key);
  if (data === undefined) made.set(key, (data = bootstrap(flags)));
  return EtcdProcess.start({ data: await data });
}

async function bootstrap(flags: readonly string[]): Promise<string> {
  const etcd = await EtcdProcess.start();
  const replica = await startReplica(etcd.endpoint, ...flags);
  await replica.stop();
  return keptData(etcd);
}
