import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import { writeConnectionFile } from '#program/connection/connection-file.ts';
import { apiRequest } from './api-request.ts';
import { findEtcd } from './find-etcd.ts';
import { managerProcessFlags, startManagerProcess } from './manager-process.ts';
import { makePki, type Pki } from './pki.ts';
import { type Background, freePort, startBackground, waitFor } from './processes.ts';
import { replicaFlags } from './replica-flags.ts';
import { startReplicaProcess } from './replica-process.ts';
import { splitWords } from './split-words.ts';

// `make run`: etcd, two replicas, a controller manager and everything needed to talk to them, until Ctrl-C. Data,
// certificates and logs are in `.run` (RUN_DIR) and found again by the next run.

const directory = process.env['RUN_DIR'] ?? '.run';
const running: Background[] = [];
/** Ports that this run has chosen. */
const taken: number[] = [];
let keepAlive: NodeJS.Timeout | undefined;
let stopping: Promise<void> | undefined;

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
  await stopAll();
}

async function main(): Promise<void> {
  const naming = chosenNaming();
  mkdirSync(directory, { recursive: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void shutDown());
  const pki = makePki(path.join(directory, 'pki'), naming);
  const etcdServers = process.env['ETCD_SERVERS'] ?? (await startEtcd());
  const wanted = (process.env['PORTS'] ?? '6443,6444').split(',').map(Number);
  const ports = await Promise.all(wanted.map((port) => startReplica(naming, pki, etcdServers, port)));
  for (const [index, port] of ports.entries()) {
    if (port !== wanted[index]) console.log(`Port ${wanted[index]} is taken; using ${port}.`);
    console.log(`Replica ${index + 1} is ready: https://127.0.0.1:${port}`);
  }
  const managerPort = await startManager(naming, pki, ports[0]!);
  console.log(`The controller manager is ready: https://127.0.0.1:${managerPort}`);
  const connectionFile = path.join(directory, 'admin.conf');
  writeConnectionFile(connectionFile, naming.product, {
    server: `https://127.0.0.1:${ports[0]}`,
    ca: pki.read('ca.crt'),
    clientCertificate: pki.read('admin.crt'),
    clientKey: pki.read('admin.key'),
  });
  console.log(whatNext(naming, pki, ports, connectionFile));
  watchOver();
}

function chosenNaming(): Naming {
  const wanted = process.env['NAMING'] ?? namingProfiles[0];
  const profile = namingProfiles.find((known) => known === wanted);
  if (profile === undefined)
    throw new Error(`NAMING=${wanted} is not known: choose one of ${namingProfiles.join(', ')}.`);
  return createNaming(profile);
}

async function startEtcd(): Promise<string> {
  const [client, peer] = [await takePort(12379), await takePort(12380)];
  const url = `http://127.0.0.1:${client}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  const etcd = startBackground(
    'etcd',
    findEtcd(),
    [
      `--data-dir=${path.join(directory, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
    ],
    path.join(directory, 'etcd.log'),
  );
  // who answers may be the etcd of another run, that was faster to take the port: ours says so itself
  const serves = () => readFileSync(etcd.log, 'utf8').includes('ready to serve client requests');
  const isReady = async () => serves() && (await fetch(`${url}/health`)).ok;
  return runOrRetry(etcd, 30, isReady, { done: url, again: startEtcd });
}

/** Starts a replica on the first free port from `wanted` on; resolves with the port once it is ready. */
async function startReplica(naming: Naming, pki: Pki, etcdServers: string, wanted: number): Promise<number> {
  const main = path.resolve(import.meta.dirname, '../dist/server/main.js');
  if (!existsSync(main)) throw new Error(`${main} is missing: run make build first.`);
  const port = await takePort(wanted);
  const flags = [
    ...replicaFlags(naming, pki, { etcdServers, port }),
    '--enable-admission-plugins=NodeRestriction',
    ...splitWords(process.env['FLAGS'] ?? ''),
  ];
  const replica = startReplicaProcess(`replica-${port}`, main, flags, path.join(directory, `replica-${port}.log`));
  const isReady = async () => (await apiRequest(pki, port, 'GET', '/readyz')).status === 200;
  const again = () => startReplica(naming, pki, etcdServers, wanted);
  return runOrRetry(replica, 60, isReady, { done: port, again });
}

/** Starts the controller manager; resolves with its port once its copies are filled. */
async function startManager(naming: Naming, pki: Pki, apiPort: number): Promise<number> {
  const main = path.resolve(import.meta.dirname, '../dist/controllers/main.js');
  const port = await takePort(10257);
  const flags = managerProcessFlags(naming, pki, { apiPort, port });
  const manager = startManagerProcess(
    'controller-manager',
    main,
    flags,
    path.join(directory, 'controller-manager.log'),
  );
  const isReady = async () => (await apiRequest(pki, port, 'GET', '/readyz')).status === 200;
  return runOrRetry(manager, 60, isReady, { done: port, again: () => startManager(naming, pki, apiPort) });
}

/** A free port that nothing else of this run gets. */
async function takePort(wanted: number): Promise<number> {
  for (let from = wanted; ; ) {
    const port = await freePort(from, taken);
    // another one of ours may have taken it meanwhile
    if (!taken.includes(port)) {
      taken.push(port);
      return port;
    }
    from = port + 1;
  }
}

/** Waits until a process is ready. Where somebody else was faster to take its port it is started `again`. */
async function runOrRetry<T>(
  process: Background,
  seconds: number,
  isReady: () => Promise<boolean>,
  { done, again }: { readonly done: T; readonly again: () => Promise<T> },
): Promise<T> {
  running.push(process);
  try {
    await waitFor(process, seconds, isReady);
    return done;
  } catch (error) {
    const portIsTaken = /address already in use|another process has this port/;
    if (stopping !== undefined || process.exit() === undefined || !portIsTaken.test(process.tail())) throw error;
    running.splice(running.indexOf(process), 1);
    return again();
  }
}

function whatNext(naming: Naming, pki: Pki, ports: readonly number[], connectionFile: string): string {
  const curl = `curl --cacert ${pki.file('ca.crt')} --cert ${pki.file('admin.crt')} --key ${pki.file('admin.key')}`;
  const configMaps = '/api/v1/namespaces/default/configmaps';
  const create = `-X POST -H 'Content-Type: application/json' -d '{"metadata":{"name":"hello"},"data":{"greeting":"hi"}}'`;
  const token = /^([^,]+),bob,/m.exec(readFileSync(pki.file('tokens.csv'), 'utf8'))?.[1];
  const commandLine = path.relative('.', path.resolve(import.meta.dirname, '../dist/cli/main.js'));
  const lines = [
    '',
    'Write to one replica, read from the other:',
    `  ${curl} ${create} https://127.0.0.1:${ports[0]}${configMaps}`,
    `  ${curl} https://127.0.0.1:${ports.at(-1)}${configMaps}/hello`,
    'Watch while you write (in a second terminal):',
    `  ${curl} -N 'https://127.0.0.1:${ports.at(-1)}${configMaps}?watch=1'`,
    'As another user, by token:',
    `  curl --cacert ${pki.file('ca.crt')} -H 'Authorization: Bearer ${token}' https://127.0.0.1:${ports[0]}${configMaps}`,
    'With the command line (npm link puts it on the PATH as orchctl):',
    `  node ${commandLine} --kubeconfig ${connectionFile} get configmaps -A`,
    '',
    naming.profile === 'kubernetes'
      ? `With ${naming.commandLine}:\n  ${naming.commandLine} --kubeconfig ${connectionFile} get configmaps -A`
      : `Unmodified upstream clients need the upstream words; those live in data of their own:\n  RUN_DIR=.run/upstream NAMING=kubernetes make run`,
    '',
    `Logs, data and certificates are in ${directory}/. Ctrl-C stops everything; the data stays.`,
  ];
  return lines.join('\n');
}

/** Says so when something ends by itself, and stops the rest. */
function watchOver(): void {
  const timer = setInterval(() => {
    const ended = running.find((process) => process.exit() !== undefined);
    if (ended === undefined) return;
    clearInterval(timer);
    console.error(`${ended.name} ended with ${ended.exit()}; ${ended.log} says:\n${ended.tail()}`);
    process.exitCode = 1;
    void shutDown();
  }, 500);
  keepAlive = timer;
}

async function shutDown(): Promise<void> {
  clearInterval(keepAlive);
  console.log('\nStopping …');
  await stopAll();
  process.exit();
}

/** In an order in which each can say goodbye to what it relies on. */
function stopAll(): Promise<void> {
  stopping ??= (async () => {
    const stop = (fits: (name: string) => boolean) =>
      Promise.all(running.filter(({ name }) => fits(name)).map((process) => process.stop()));
    await stop((name) => name === 'controller-manager');
    await stop((name) => name !== 'etcd');
    await stop((name) => name === 'etcd');
  })();
  return stopping;
}
