import path from 'node:path';
import { ClusterProcess, clusterMain } from './cluster-process.ts';
import type { ClusterOptions } from './messages.ts';
import { TestCluster } from './test-cluster.ts';

/**
 * Starts a cluster in a separate process, which takes about a second. The cluster ends with `stop`, and never later
 * than this process. It does not keep this process alive.
 *
 * @throws TestClusterError with advice
 * @example
 * const cluster = await startCluster({ definitions: 'config/crd' });
 * const client = await cluster.client();
 */
export async function startCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const process = new ClusterProcess(clusterMain());
  try {
    const { definitions } = options;
    const started = await process.call('start', {
      ...options,
      ...(definitions === undefined ? {} : { definitions: path.resolve(definitions) }),
    });
    return new TestCluster(process, started, options);
  } catch (error) {
    await process.stop();
    throw error;
  }
}
