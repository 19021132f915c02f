import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LocalCluster, type LocalReplica } from './local-cluster.ts';

// `make run`: etcd, two replicas, a controller manager, a scheduler, simulated nodes (NODES) and everything that
// clients need, until Ctrl-C. Data, certificates and logs are in `.run` (RUN_DIR), and the next run continues with
// them.

const NODES = Number(process.env['NODES'] ?? 3);

let cluster: LocalCluster | undefined;
let keepAlive: NodeJS.Timeout | undefined;

try {
  cluster = new LocalCluster(process.env);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void shutDown());
  await main(cluster);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
  await cluster?.stop();
}

async function main(cluster: LocalCluster): Promise<void> {
  await cluster.startEtcd();
  const wanted = (process.env['PORTS'] ?? '6443,6444').split(',').map(Number);
  const replicas = await Promise.all(wanted.map((port) => cluster.startReplica(port)));
  for (const [index, { port, wanted }] of replicas.entries()) {
    if (port !== wanted) console.log(`Port ${wanted} is taken; using ${port}.`);
    console.log(`Replica ${index + 1} is ready: https://127.0.0.1:${port}`);
  }
  const managerPort = await cluster.startManager(replicas[0]!.port);
  console.log(`The controller manager is ready: https://127.0.0.1:${managerPort}`);
  const schedulerPort = await cluster.startScheduler(replicas[0]!.port);
  console.log(`The scheduler is ready: https://127.0.0.1:${schedulerPort}`);
  if (NODES > 0) {
    await cluster.startNodes(replicas[0]!.port, NODES);
    console.log(`${NODES} simulated nodes take pods; they run nothing.`);
  }
  const connectionFile = cluster.writeAdminConnection(replicas[0]!.port);
  console.log(whatNext(cluster, replicas, connectionFile));
  watchOver(cluster);
}

function whatNext(
  { naming, pki, directory }: LocalCluster,
  replicas: readonly LocalReplica[],
  connectionFile: string,
): string {
  const [first, last] = [replicas[0]!.port, replicas.at(-1)!.port];
  const curl = `curl --cacert ${pki.file('ca.crt')} --cert ${pki.file('admin.crt')} --key ${pki.file('admin.key')}`;
  const configMaps = '/api/v1/namespaces/default/configmaps';
  const create = `-X POST -H 'Content-Type: application/json' -d '{"metadata":{"name":"hello"},"data":{"greeting":"hi"}}'`;
  const token = /^([^,]+),bob,/m.exec(readFileSync(pki.file('tokens.csv'), 'utf8'))?.[1];
  const commandLine = path.relative('.', path.resolve(import.meta.dirname, '../dist/cli/main.js'));
  const lines = [
    '',
    'Write to one replica, read from the other:',
    `  ${curl} ${create} https://127.0.0.1:${first}${configMaps}`,
    `  ${curl} https://127.0.0.1:${last}${configMaps}/hello`,
    'Watch while you write (in a second terminal):',
    `  ${curl} -N 'https://127.0.0.1:${last}${configMaps}?watch=1'`,
    'As another user, by token:',
    `  curl --cacert ${pki.file('ca.crt')} -H 'Authorization: Bearer ${token}' https://127.0.0.1:${first}${configMaps}`,
    'With the command line (npm link puts it on the PATH as orchctl):',
    `  node ${commandLine} --kubeconfig ${connectionFile} get configmaps -A`,
    'In a browser (it prints the address to open; --write lets changes through):',
    `  node ${commandLine} --kubeconfig ${connectionFile} console`,
    'Deploy something, and see it on the simulated nodes:',
    `  node ${commandLine} --kubeconfig ${connectionFile} create deployment web --image=nginx --replicas=3`,
    `  node ${commandLine} --kubeconfig ${connectionFile} get pods -o wide`,
    '',
    naming.profile === 'kubernetes'
      ? `With ${naming.commandLine}:\n  ${naming.commandLine} --kubeconfig ${connectionFile} get configmaps -A`
      : `Unmodified upstream clients need the upstream words; those live in data of their own:\n  RUN_DIR=.run/upstream NAMING=kubernetes make run`,
    '',
    `Logs, data and certificates are in ${directory}/. Ctrl-C stops everything; the data stays.`,
  ];
  return lines.join('\n');
}

/** When one of the programs ends by itself, prints that and stops the others. */
function watchOver(cluster: LocalCluster): void {
  keepAlive = setInterval(() => {
    const ended = cluster.ended();
    if (ended === undefined) return;
    console.error(`${ended.name} ended with ${ended.exit()}; ${ended.log} says:\n${ended.tail()}`);
    process.exitCode = 1;
    void shutDown();
  }, 500);
}

async function shutDown(): Promise<void> {
  clearInterval(keepAlive);
  console.log('\nStopping …');
  await cluster?.stop();
  process.exit();
}
