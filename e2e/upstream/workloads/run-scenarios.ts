import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming } from '#base/naming/create-naming.ts';
import { type ConnectedClient, connect } from '#client/client.ts';
import { appsV1, autoscalingV2, batchV1, coreV1, policyV1 } from '#client/generated/resources.ts';
import { SharedInformers } from '#client/informer/shared-informers.ts';
import type { ResourceType } from '#client/resource-type.ts';
import { readConnection } from '#program/connection/connection-file.ts';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { managerProcessFlags, startManagerProcess } from '#scripts/manager-process.ts';
import { type Background, freePort, startBackground } from '#scripts/processes.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../../replica.ts';
import type { Scenario } from './scenarios.ts';
import { TimeLine } from './time-line.ts';

const naming = createNaming('kubernetes');
const dist = path.resolve(import.meta.dirname, '../../../dist');
const NODES = 3;
const QUIET_MS = 4000;
/** The longest time that a step may take. */
const LONGEST_MS = 180_000;

/** The resources whose changes are recorded. */
const FOLLOWED: readonly (readonly [string, ResourceType])[] = [
  ['pods', coreV1.pods],
  ['events', coreV1.events],
  ['replicationcontrollers', coreV1.replicationcontrollers],
  ['persistentvolumeclaims', coreV1.persistentvolumeclaims],
  ['deployments', appsV1.deployments],
  ['replicasets', appsV1.replicasets],
  ['statefulsets', appsV1.statefulsets],
  ['daemonsets', appsV1.daemonsets],
  ['controllerrevisions', appsV1.controllerrevisions],
  ['jobs', batchV1.jobs],
  ['cronjobs', batchV1.cronjobs],
  ['poddisruptionbudgets', policyV1.poddisruptionbudgets],
  ['horizontalpodautoscalers', autoscalingV2.horizontalpodautoscalers],
] as unknown as readonly (readonly [string, ResourceType])[];

/** The effects of the steps of one scenario. Each key has the form `STEP: EFFECT`. */
export type Outcome = ReadonlyMap<string, string>;

/**
 * Runs all scenarios with a replica, a scheduler and simulated nodes of this project, and with one controller manager.
 *
 * @param other the program of another controller manager; if undefined, the controller manager is this project's
 */
export async function runScenarios(
  scenarios: readonly Scenario[],
  other: string | undefined,
): Promise<ReadonlyMap<string, Outcome>> {
  const pki = temporaryPki('kubernetes');
  const etcd = await EtcdProcess.start();
  const replica = await startReplica(pki, etcd.endpoint, { profile: 'kubernetes' });
  const file = pki.file('admin.conf');
  writeConnectionFile(file, naming.product, {
    server: `https://127.0.0.1:${replica.port}`,
    ca: pki.read('ca.crt'),
    clientCertificate: pki.read('admin.crt'),
    clientKey: pki.read('admin.key'),
  });
  const client = await connect(readConnection(file), { naming });
  const common = [`--kubeconfig=${file}`, '--naming=kubernetes'];
  const program = (name: string, ...flags: string[]) =>
    startBackground(
      name,
      process.execPath,
      [path.join(dist, name, 'main.js'), ...common, ...flags],
      pki.file(`${name}.log`),
    );
  const others = [
    program('scheduler', '--leader-elect=false', '--secure-port=0'),
    program('nodes', `--nodes=${NODES}`, '--port=0'),
  ];
  const port = await freePort(21_000 + Math.floor(Math.random() * 1000));
  const flags = managerProcessFlags(naming, pki, { apiPort: replica.port, port });
  const log = pki.file('manager.log');
  const manager: Background =
    other === undefined
      ? startManagerProcess('manager', path.join(dist, 'controllers/main.js'), flags, log)
      : startBackground(
          'other manager',
          other,
          flags.filter((flag) => !flag.startsWith('--naming')),
          log,
        );
  const stop = new AbortController();
  try {
    const lines = new Map(scenarios.map(({ name }) => [name, new TimeLine()]));
    follow(client, lines, stop.signal);
    const outcomes = await Promise.all(
      scenarios.map(
        async (scenario) => [scenario.name, await run(scenario, replica, lines.get(scenario.name)!)] as const,
      ),
    );
    return new Map(outcomes);
  } finally {
    stop.abort();
    await client.close();
    await Promise.all([manager, ...others].map((one) => one.stop()));
    await replica.stop();
    await etcd.stop();
  }
}

function follow(client: ConnectedClient, lines: ReadonlyMap<string, TimeLine>, signal: AbortSignal): void {
  const informers = new SharedInformers(client, { listsAtOnce: FOLLOWED.length });
  for (const [resource, type] of FOLLOWED) {
    const see = (change: 'added' | 'updated' | 'deleted') => (object: ApiObject) =>
      lines.get(object.metadata.namespace ?? '')?.see(resource, change, object);
    const handler = { added: see('added'), updated: see('updated'), deleted: see('deleted') };
    informers.of(type, { fields: '*' }).on(handler, signal);
  }
  informers.start(signal);
}

async function run({ name, steps }: Scenario, replica: Replica, line: TimeLine): Promise<Outcome> {
  const outcome = new Map<string, string>();
  const send = (method: string, path: string, body?: unknown) => {
    const text = body === undefined ? undefined : JSON.parse(naming.translate(JSON.stringify(body)));
    return replica.request(method, naming.translate(path.replace('%', name)), text);
  };
  await send('POST', '/api/v1/namespaces', { metadata: { name } });
  const accounts = `/api/v1/namespaces/${name}/serviceaccounts/default`;
  while ((await send('GET', accounts)).status !== 200) await sleep(200);
  for (const { what, acts, made, quiet = QUIET_MS / 1000 } of steps) {
    const codes: number[] = [];
    const began = Date.now();
    line.changedAt = began;
    for (const act of acts) codes.push((await send(...act)).status);
    const isDone = () => Date.now() - line.changedAt >= quiet * 1000 && (made === undefined || line.hasMade(made));
    while (!isDone() && Date.now() - began < LONGEST_MS) await sleep(100);
    outcome.set(`${what}: answers`, codes.join(' '));
    for (const [of, value] of line.take()) outcome.set(`${what}: ${of}`, value);
  }
  return outcome;
}
