import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, connect } from '#client/client.ts';
import { appsV1, coreV1 } from '#client/generated/resources.ts';
import { SharedInformers } from '#client/informer/shared-informers.ts';
import { hasLabels } from '#client/label-selector.ts';
import { isActive, isReady } from '#controllers/pods/pod-state.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { managerProcessFlags, startManagerProcess } from '#scripts/manager-process.ts';
import { allowNodes, nodesProcessFlags } from '#scripts/nodes-process.ts';
import { type Background, freePort, waitFor } from '#scripts/processes.ts';
import { schedulerProcessFlags, startProgram } from '#scripts/scheduler-process.ts';
import { cpuMs, residentMb } from './process-usage.ts';
import { RequestsByProgram } from './requests-by-program.ts';
import { Stage } from './stage.ts';

/**
 * Measures the processor time of scheduler, simulated nodes and controller manager beside one replica and one etcd:
 * pods created at once, a deployment, its rollout, and all programs at rest. `PODS`, `NODES`, `DEPLOYED` and
 * `IDLE_SECONDS` set the size; `REQUESTS=1` counts the requests of the deployment; `DIST` names another build than this
 * one; `--profile` is a folder for processor profiles.
 */

const PODS = Number(process.env['PODS'] ?? 1000);
const NODES = Number(process.env['NODES'] ?? 100);
const DEPLOYED = Number(process.env['DEPLOYED'] ?? 500);
const IDLE_SECONDS = Number(process.env['IDLE_SECONDS'] ?? 60);
const profile = process.argv.find((argument) => argument.startsWith('--profile='))?.slice(10);

const stage = new Stage(profile);
const { naming, pki } = stage;
const programs = new Map<string, Background>();

function start(name: string, folder: string, flags: readonly string[]): Background {
  const main = path.resolve(process.env['DIST'] ?? path.resolve(import.meta.dirname, '../dist'), folder, 'main.js');
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const log = path.join(pki.directory, `${name}.log`);
  const begin = name === 'manager' ? startManagerProcess : startProgram;
  const background = begin(name, main, flags, log, profiling);
  programs.set(name, background);
  return background;
}

const used = () => new Map([...programs].map(([name, { pid }]) => [name, cpuMs(pid)]));

function tell(what: string, began: number, before: ReadonlyMap<string, number>, pods: number): void {
  const seconds = (performance.now() - began) / 1000;
  const costs = [...used()].map(
    ([name, ms]) => `${name} ${((ms - (before.get(name) ?? 0)) / (pods || seconds * 10)).toFixed(2)}`,
  );
  console.log(`${what}: ${seconds.toFixed(1)} s; ${pods ? 'ms a pod' : '% of a processor'}: ${costs.join(', ')}`);
}

/** Counts pods that are ready, and pods that are not leaving, at each change that a watch tells of. */
async function watchAvailable(client: Client, labels: Readonly<Record<string, string>>) {
  const stop = new AbortController();
  const informers = new SharedInformers(client);
  const copies = informers.of(coreV1.pods, { fields: ['status.phase', 'status.conditions'] });
  const [active, ready] = [new Set<string>(), new Set<string>()];
  const seen = { least: DEPLOYED, most: 0, stop: () => stop.abort() };
  const forget = ({ metadata }: Pod) => {
    active.delete(metadata.uid!);
    ready.delete(metadata.uid!);
  };
  const put = (pod: Pod) => {
    forget(pod);
    if (!hasLabels(labels, pod.metadata.labels) || !isActive(pod)) return;
    active.add(pod.metadata.uid!);
    if (isReady(pod)) ready.add(pod.metadata.uid!);
  };
  const look = () => {
    seen.least = Math.min(seen.least, ready.size);
    seen.most = Math.max(seen.most, active.size);
  };
  informers.start(stop.signal);
  await informers.ready();
  for (const pod of copies.all()) put(pod);
  const then = (take: (pod: Pod) => void) => (pod: Pod) => {
    take(pod);
    look();
  };
  copies.on({ added: then(put), updated: then(put), deleted: then(forget) }, stop.signal);
  return seen;
}

try {
  const etcd = await stage.startEtcd();
  const counted = process.env['REQUESTS'] === '1' ? new RequestsByProgram(pki.directory, naming) : undefined;
  const server = await stage.startServer(etcd, ...(counted?.flags ?? []));
  programs.set('server', server.process);
  const rate = `--${naming.prefixed('api-qps')}=0`;
  const at = async (from: number) => ({ apiPort: server.port, port: await freePort(from) });
  start('manager', 'controllers', [...managerProcessFlags(naming, pki, await at(10_300)), rate]);
  start('scheduler', 'scheduler', schedulerProcessFlags(naming, pki, await at(10_400)));
  await allowNodes(naming, pki, { apiPort: server.port, nodes: NODES });
  start('nodes', 'nodes', [...nodesProcessFlags(naming, pki, { apiPort: server.port, nodes: NODES }), '--port=0']);
  const client = await connect({
    cluster: { server: `https://127.0.0.1:${server.port}`, ca: { file: pki.file('ca.crt') } },
    user: { clientCertificate: { file: pki.file('admin.crt') }, clientKey: { file: pki.file('admin.key') } },
  });
  const ready = async () =>
    (await client.resource(coreV1.nodes).list({ resourceVersion: '0' })).items.filter(
      ({ spec, status }) =>
        (spec?.taints ?? []).length === 0 &&
        status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    ).length;
  await waitFor(programs.get('nodes')!, 300, async () => (await ready()) === NODES);
  const pods = client.resource(coreV1.pods).in('default');
  const count = async (is: (pod: Awaited<ReturnType<typeof pods.get>>) => boolean) =>
    (await pods.list({ resourceVersion: '0', timeoutMs: 60_000 })).items.filter(is).length;
  await waitFor(programs.get('manager')!, 60, async () => {
    await client.resource(coreV1.serviceaccounts).in('default').get('default');
    return true;
  });
  await sleep(3000);

  let before = used();
  let began = performance.now();
  const container = { name: 'c', image: 'nginx', resources: { requests: { cpu: '10m', memory: '10Mi' } } };
  const spec = { containers: [container], automountServiceAccountToken: false };
  const names = Array.from({ length: PODS }, (_, i) => `pod-${i}`);
  const create = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop())
      await pods.create({ metadata: { name }, spec });
  };
  await Promise.all(Array.from({ length: 16 }, create));
  tell(`${PODS} pods on ${NODES} nodes, created`, began, before, PODS);
  while ((await count(({ spec }) => (spec?.nodeName ?? '') !== '')) < PODS) await sleep(200);
  tell(`${PODS} pods on ${NODES} nodes, assigned`, began, before, PODS);
  while ((await count(({ status }) => status?.phase === 'Running')) < PODS) await sleep(200);
  tell(`${PODS} pods on ${NODES} nodes, running`, began, before, PODS);

  const deployments = client.resource(appsV1.deployments).in('default');
  const available = async (wanted: number) => {
    for (;;) {
      const { metadata, status } = await deployments.get('web');
      const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status ?? {};
      const done = availableReplicas === wanted && updatedReplicas === wanted && replicas === wanted;
      if (done && observedGeneration >= (metadata.generation ?? 0)) return;
      await sleep(100);
    }
  };
  const requests = await counted?.counts();
  before = used();
  began = performance.now();
  const labels = { app: 'web' };
  await deployments.create({
    metadata: { name: 'web' },
    spec: {
      ...{ replicas: DEPLOYED, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
    },
  });
  await available(DEPLOYED);
  tell(`a deployment of ${DEPLOYED} pods, until it is available`, began, before, DEPLOYED);
  for (const [what, count] of (await counted?.counts()) ?? []) {
    const made = count - (requests?.get(what) ?? 0);
    if (made >= DEPLOYED / 50) console.log(`  ${(made / DEPLOYED).toFixed(2)} a pod: ${what}`);
  }
  const seen = await watchAvailable(client, labels);
  before = used();
  began = performance.now();
  await deployments.patch('web', 'strategic', {
    spec: { template: { spec: { containers: [{ name: 'c', image: 'nginx:2' }] } } },
  });
  await available(DEPLOYED);
  tell(`its rollout to another image`, began, before, DEPLOYED);
  console.log(`  seen by a watch: never less than ${seen.least} available, nor more than ${seen.most} pods`);
  seen.stop();

  // Events are written late, when pods need nothing.
  const written = async () => {
    const { metadata } = await client.resource(coreV1.events).list({ limit: 1, timeoutMs: 60_000 });
    return metadata?.remainingItemCount ?? 0;
  };
  for (let last = -1, now = await written(); now !== last; last = now, now = await written()) await sleep(5000);
  before = used();
  began = performance.now();
  await sleep(IDLE_SECONDS * 1000);
  tell(`at rest, ${PODS + DEPLOYED} pods and ${NODES} nodes`, began, before, 0);
  console.log([...programs].map(([name, { pid }]) => `${name} ${residentMb(pid).toFixed(0)} MB`).join(', '));
  await client.close();
} catch (error) {
  for (const { name, log } of programs.values()) console.error(name, readFileSync(log, 'utf8').slice(-1500));
  throw error;
} finally {
  await Promise.all([...programs].filter(([name]) => name !== 'server').map(([, background]) => background.stop()));
  await stage.stop();
}
