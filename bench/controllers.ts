import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeRequest } from '#base/x509/testing/make-request.ts';
import { managerProcessFlags, startManagerProcess } from '#scripts/manager-process.ts';
import { freePort, waitFor } from '#scripts/processes.ts';
import { Client } from './client.ts';
import { fill } from './fill.ts';
import { pod } from './pod.ts';
import { cpuMs, residentMb } from './process-usage.ts';
import { rollOut } from './rollout.ts';
import { type Replica, Stage } from './stage.ts';

/**
 * What the controller manager needs for its work, beside one replica and one etcd. `--only=gc,memory` for some rows,
 * `--profile=FOLDER` for a processor profile of the manager.
 */

const IDLE_SECONDS = Number(process.env['IDLE_SECONDS'] ?? 60);
const DEPENDENTS = 5_000;
const STORED = 20_000;
const REQUESTS = 20;

const option = (name: string) =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const only = option('only')?.split(',');
const profile = option('profile');

const stage = new Stage();

interface Running {
  readonly client: Client;
  readonly server: Replica;
  readonly pid: number;
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a manager without limits of its rate; resolves when it leads and its copies are filled. */
async function startManager(server: Replica): Promise<Running> {
  const port = await freePort(10300);
  const main = path.resolve(import.meta.dirname, '../dist/controllers/main.js');
  // The pods of this bench name nodes that do not exist, so that the garbage collector would delete them.
  const flags = managerProcessFlags(stage.naming, stage.pki, { apiPort: server.port, port }).map((flag) =>
    flag.startsWith('--controllers=') ? `${flag},-podgc` : flag,
  );
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const log = path.join(stage.pki.directory, `manager-${port}.log`);
  const manager = startManagerProcess(
    'manager',
    main,
    [...flags, `--${stage.naming.prefixed('api-qps')}=0`],
    log,
    profiling,
  );
  const probe = new Client(stage.pki, port, 1);
  const leads = () =>
    probe
      .call('GET', '/metrics', { text: true })
      .then(({ text }) => /^leader_election_master_status\{.*\} 1/m.test(text));
  const ready = () => probe.call('GET', '/readyz').then(leads);
  await waitFor(manager, 120, () => ready().catch(() => false));
  const client = new Client(stage.pki, server.port, 16);
  return {
    client,
    server,
    pid: manager.pid,
    metrics: async () => (await probe.call('GET', '/metrics', { text: true })).text,
    async stop() {
      client.close();
      probe.close();
      await manager.stop();
    },
  };
}

function row(work: string, ...parts: string[]): void {
  process.stdout.write(`| ${work} | ${parts.join('; ')} |\n`);
}

async function until(what: string, condition: () => Promise<boolean>, everyMs = 20): Promise<void> {
  const end = performance.now() + 300_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`gave up waiting until ${what}`);
    await sleep(everyMs);
  }
}

/** The usage between two measurements. */
async function during(pid: number, work: () => Promise<unknown>): Promise<{ seconds: number; cpu: number }> {
  const [cpu, started] = [cpuMs(pid), performance.now()];
  await work();
  return { seconds: (performance.now() - started) / 1000, cpu: cpuMs(pid) - cpu };
}

async function inParallel(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

const json = async (client: Client, at: string) =>
  JSON.parse((await client.call('GET', at, { text: true })).text) as Record<string, never>;

/** Writes by all clients since the start of the server, by resource. */
async function writes(client: Client): Promise<Map<string, number>> {
  const { text } = await client.call('GET', '/metrics', { text: true });
  const found = new Map<string, number>();
  for (const [, labels = '', value] of text.matchAll(/^apiserver_request_total\{(.*)\} (\d+)$/gm)) {
    const verb = /verb="([A-Z]+)"/.exec(labels)?.[1] ?? '';
    if (!['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE'].includes(verb)) continue;
    const resource = /resource="([^"]*)"/.exec(labels)?.[1] ?? '';
    found.set(resource, (found.get(resource) ?? 0) + Number(value));
  }
  return found;
}

async function idle({ client, pid }: Running): Promise<void> {
  await sleep(5_000);
  const before = await writes(client);
  const { seconds, cpu } = await during(pid, () => sleep(IDLE_SECONDS * 1000));
  const after = await writes(client);
  const written = [...after].flatMap(([resource, count]) => {
    const more = count - (before.get(resource) ?? 0);
    return more > 0 ? [`${more} of ${resource}`] : [];
  });
  row('idle', `${(cpu / seconds / 10).toFixed(2)} % of a processor`, `writes: ${written.join(', ')}`);
}

async function certificates({ client }: Running): Promise<void> {
  const at = `/apis/${stage.naming.group('certificates')}/v1/certificatesigningrequests`;
  const times: number[] = [];
  for (let n = 0; n < REQUESTS; n++) {
    const name = `bench-${n}`;
    const body = {
      metadata: { name },
      spec: {
        request: makeRequest({ subject: [['CN', name]] }),
        signerName: stage.naming.key('apiserver-client'),
        usages: ['client auth'],
      },
    };
    await client.call('POST', at, { body });
    const request = await json(client, `${at}/${name}`);
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Bench', message: '' }];
    const started = performance.now();
    await client.call('PUT', `${at}/${name}/approval`, { body: { ...request, status: { conditions } } });
    const issued = async () => (await json(client, `${at}/${name}`))['status']?.['certificate'] !== undefined;
    await until('it is issued', issued, 1);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  row(
    'certificate request approved to issued',
    `${times[REQUESTS / 2]!.toFixed(0)} ms`,
    `the longest of ${REQUESTS}: ${times.at(-1)!.toFixed(0)} ms`,
  );
}

const NAMESPACED: readonly [path: string, spec?: object][] = (() => {
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };
  const selector = { matchLabels: { a: 'b' } };
  const workload = { selector, template, replicas: 0 };
  const once = { template: { spec: { ...template.spec, restartPolicy: 'Never' } } };
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  return [
    ['api/v1/configmaps'],
    ['api/v1/secrets'],
    ['api/v1/endpoints'],
    ['api/v1/serviceaccounts'],
    ['api/v1/podtemplates', { template }],
    ['api/v1/services', { spec: { ports: [{ port: 80 }] } }],
    ['api/v1/replicationcontrollers', { spec: { selector: { a: 'b' }, template, replicas: 0 } }],
    ['api/v1/persistentvolumeclaims', { spec: claim }],
    ['api/v1/pods', { spec: { ...template.spec, automountServiceAccountToken: false } }],
    ['apis/apps/v1/deployments', { spec: workload }],
    ['apis/apps/v1/replicasets', { spec: workload }],
    ['apis/apps/v1/statefulsets', { spec: { ...workload, serviceName: 's' } }],
    ['apis/apps/v1/daemonsets', { spec: { selector, template } }],
    ['apis/apps/v1/controllerrevisions', { revision: 1, data: {} }],
    ['apis/batch/v1/jobs', { spec: once }],
    ['apis/batch/v1/cronjobs', { spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: once } } }],
    ['apis/coordination.orch.io/v1/leases'],
    ['apis/networking.orch.io/v1/networkpolicies', { spec: { podSelector: {} } }],
    ['apis/policy/v1/poddisruptionbudgets', { spec: { minAvailable: 1, selector: { matchLabels: { c: 'd' } } } }],
    ['apis/rbac.authorization.orch.io/v1/roles'],
  ];
})();

/** Deletes a namespace with 1,000 objects of 20 types, pods that are on no node among them. */
async function namespaces({ client, pid, server }: Running): Promise<void> {
  const name = 'bench-content';
  await client.call('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
  const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
  await until('it has its account', () =>
    client.call('GET', account).then(
      () => true,
      () => false,
    ),
  );
  await inParallel(1000, (n) => {
    const [at, content = {}] = NAMESPACED[n % NAMESPACED.length]!;
    const [, group = '', plural = ''] = /^(.*)\/(\w+)$/.exec(at) ?? [];
    return client.call('POST', `/${group}/namespaces/${name}/${plural}`, {
      body: { metadata: { name: `o-${n}` }, ...content },
    });
  });
  await sleep(2_000);
  const servers = cpuMs(server.pid);
  const { seconds, cpu } = await during(pid, async () => {
    await client.call('DELETE', `/api/v1/namespaces/${name}`);
    await until('it is gone', () =>
      client.call('GET', `/api/v1/namespaces/${name}`).then(
        () => false,
        () => true,
      ),
    );
  });
  const used = `${cpu.toFixed(0)} ms of the manager, ${(cpuMs(server.pid) - servers).toFixed(0)} ms of the server`;
  row('namespace with 1,000 objects of 20 types gone', `${seconds.toFixed(1)} s`, used);
}

async function dependents({ client, pid, server }: Running): Promise<void> {
  const at = '/api/v1/namespaces/default/configmaps';
  const { text } = await client.call('POST', at, { body: { metadata: { name: 'bench-owner' } }, text: true });
  const { uid } = (JSON.parse(text) as { metadata: { uid: string } }).metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'bench-owner', uid }];
  const labels = { bench: 'dependents' };
  await inParallel(DEPENDENTS, (n) =>
    client.call('POST', at, { body: { metadata: { name: `bench-${n}`, labels, ownerReferences } } }),
  );
  await sleep(2_000);
  const servers = cpuMs(server.pid);
  const { seconds, cpu } = await during(pid, async () => {
    await client.call('DELETE', `${at}/bench-owner?propagationPolicy=Background`);
    const left = `${at}?labelSelector=bench%3Ddependents&limit=1`;
    await until('they are gone', async () => (await json(client, left))['items']?.['length'] === 0, 200);
  });
  row(
    `owner with ${DEPENDENTS} dependents deleted in the background: all gone`,
    `${seconds.toFixed(1)} s`,
    `${(cpu / DEPENDENTS).toFixed(2)} ms of the manager a deletion`,
    `${((cpuMs(server.pid) - servers) / DEPENDENTS).toFixed(2)} of the server`,
  );
}

async function rollout({ pid, server }: Running): Promise<void> {
  const { pki, naming } = stage;
  const {
    pods,
    deployment,
    rollout: changed,
  } = await rollOut({ port: server.port, pki, naming }, { manager: pid, server: server.pid });
  const each = ({ manager, server: replica }: { manager: number; server: number }) =>
    `${(manager / pods).toFixed(2)} ms of the manager a pod; ${(replica / pods).toFixed(2)} of the server`;
  row(`deployment of ${pods} pods, to available`, `${deployment.seconds.toFixed(1)} s`, each(deployment));
  const kept = `at least ${changed.leastAvailable} available and at most ${changed.most} there`;
  row(`its rollout to another image, with a surge of 25 %`, `${changed.seconds.toFixed(1)} s`, each(changed), kept);
}

function* manyObjects(): Iterable<readonly [string, object]> {
  const uid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const [namespace, creationTimestamp] = ['bench-many', '2026-01-01T00:00:00Z'];
  for (let n = 0; n < STORED; n++) {
    const { metadata, apiVersion, kind, ...made } = pod(n) as Record<string, unknown> & { metadata: { name: string } };
    const ip = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
    const conditions = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: creationTimestamp,
    }));
    const status = { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions };
    yield [
      `core/pods/${namespace}/${metadata.name}`,
      { kind, apiVersion, ...made, metadata: { ...metadata, namespace, uid: uid(n), creationTimestamp }, status },
    ];
    const own = {
      name: `c-${n}`,
      namespace,
      uid: uid(STORED + n),
      creationTimestamp,
      labels: { app: `app-${n % 200}` },
    };
    yield [
      `core/configmaps/${namespace}/c-${n}`,
      { kind: 'ConfigMap', apiVersion: 'v1', metadata: own, data: { text: `${n} ${'x'.repeat(200)}` } },
    ];
  }
}

async function memory(etcd: string, server: Replica): Promise<void> {
  const empty = await startManager(server);
  const before = residentMb(empty.pid);
  await empty.client.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'bench-many' } } });
  await empty.stop();
  await fill(etcd, manyObjects());
  const running = await startManager(server);
  const cached = async () => Number(/^controller_manager_cached_objects (\d+)/m.exec(await running.metrics())?.[1]);
  await until('all copies are filled', async () => (await cached()) >= 2 * STORED, 1000);
  await sleep(10_000);
  row(
    `memory with ${STORED} pods and ${STORED} config maps`,
    `${residentMb(running.pid).toFixed(0)} MB`,
    `${before.toFixed(0)} MB with nothing`,
  );
  await running.stop();
}

try {
  const etcd = await stage.startEtcd();
  const server = await stage.startServer(etcd);
  const rows = { idle, csr: certificates, namespace: namespaces, gc: dependents, rollout };
  const wanted = Object.entries(rows).filter(([name]) => only === undefined || only.includes(name));
  if (wanted.length > 0) {
    const running = await startManager(server);
    for (const [, measure] of wanted) await measure(running);
    row('memory after that', `${residentMb(running.pid).toFixed(0)} MB`);
    await running.stop();
  }
  if (only === undefined || only.includes('memory')) await memory(etcd, server);
} finally {
  await stage.stop();
}
