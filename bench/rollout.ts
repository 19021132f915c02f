import { setTimeout as sleep } from 'node:timers/promises';
import type { Naming } from '#base/naming/naming.ts';
import { connect } from '#client/client.ts';
import { appsV1 } from '#client/generated/resources.ts';
import { isActive, isReady } from '#controllers/pods/pod-state.ts';
import { type PlayedNodes, playNodes } from '#controllers/testing/play-nodes.ts';
import type { Pki } from '#scripts/pki.ts';
import { cpuMs } from './process-usage.ts';

const PODS = 500;
const LABELS = { bench: 'rollout' };

/** The measurements of a deployment and of its rollout to another image. */
export interface RolledOut {
  readonly pods: number;
  readonly deployment: Work;
  readonly rollout: Work & { readonly leastAvailable: number; readonly most: number };
}

interface Work {
  readonly seconds: number;
  /** Processor time of the manager and of the server, in milliseconds. */
  readonly manager: number;
  readonly server: number;
}

/** Deploys many pods, and rolls them out to another image with a surge of a quarter. This process plays their nodes. */
export async function rollOut(
  { port, pki, naming }: { readonly port: number; readonly pki: Pki; readonly naming: Naming },
  pids: { readonly manager: number; readonly server: number },
): Promise<RolledOut> {
  const user = { clientCertificate: { file: pki.file('admin.crt') }, clientKey: { file: pki.file('admin.key') } };
  const cluster = { server: `https://localhost:${port}`, ca: { file: pki.file('ca.crt') } };
  const client = await connect({ cluster, user }, { naming });
  const stop = new AbortController();
  const how: PlayedNodes = {};
  await playNodes(client, stop.signal, how);
  const deployments = client.resource(appsV1.deployments).in('default');
  const template = (image: string) => ({
    metadata: { labels: LABELS },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image }] },
  });
  const done = async () => {
    const { status, metadata } = await deployments.get('bench-rollout');
    const { observedGeneration, replicas, updatedReplicas, availableReplicas } = status ?? {};
    const all = [replicas, updatedReplicas, availableReplicas].every((count) => count === PODS);
    return all && observedGeneration === metadata.generation;
  };
  const during = async (begin: () => Promise<unknown>): Promise<Work> => {
    const before = { manager: cpuMs(pids.manager), server: cpuMs(pids.server), at: performance.now() };
    await begin();
    while (!(await done())) await sleep(50);
    const seconds = (performance.now() - before.at) / 1000;
    return { seconds, manager: cpuMs(pids.manager) - before.manager, server: cpuMs(pids.server) - before.server };
  };
  try {
    const deployment = await during(() =>
      deployments.create({
        metadata: { name: 'bench-rollout' },
        spec: {
          replicas: PODS,
          selector: { matchLabels: LABELS },
          template: template('a'),
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
        },
      }),
    );
    let [leastAvailable, most] = [PODS, 0];
    how.watch = (pods) => {
      const active = pods.filter(isActive);
      leastAvailable = Math.min(leastAvailable, active.filter(isReady).length);
      most = Math.max(most, active.length);
    };
    const rollout = await during(() =>
      deployments.patch('bench-rollout', 'merge', { spec: { template: template('b') } } as never),
    );
    return { pods: PODS, deployment, rollout: { ...rollout, leastAvailable, most } };
  } finally {
    stop.abort();
    await client.close();
  }
}
