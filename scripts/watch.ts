import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { watch } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundle } from './bundle.ts';
import { changedTests } from './changed-tests.ts';
import { IncrementalBuilder } from './incremental-builder.ts';
import { LocalCluster } from './local-cluster.ts';
import { packages } from './rooms.ts';

// `make watch` starts a replica and a controller manager as `make run` does. When a source changes, it builds and
// restarts the programs that contain the source, and runs the tests that cover it. Ctrl-C ends everything.

const root = path.resolve(import.meta.dirname, '..');
const mocha = path.join(root, 'node_modules/mocha/bin/mocha.js');
/** Editors write several files, or one file several times, at one moment. */
const TOGETHER_MS = 100;

const cluster = new LocalCluster(process.env);
const builder = new IncrementalBuilder();
const changed = new Set<string>();
let tests: ChildProcess | undefined;
let wake = (): void => {};
let stopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void shutDown());
try {
  await bundle(root, builder.build);
  await cluster.startEtcd();
  const wanted = (process.env['PORTS'] ?? '6443').split(',').map(Number);
  const replicas = await Promise.all(wanted.map((port) => cluster.startReplica(port)));
  await cluster.startManager(replicas[0]!.port);
  const file = cluster.writeAdminConnection(replicas[0]!.port);
  for (const { port } of replicas) console.log(`Serving https://127.0.0.1:${port}`);
  console.log(`  node dist/cli/main.js --kubeconfig ${file} get namespaces`);
  watchFolders();
  console.log('Watching. Change a file; Ctrl-C ends everything.');
  await followChanges();
} catch (error) {
  if (!stopping) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
    await shutDown();
  }
}

function watchFolders(): void {
  for (const folder of [...packages.map(({ folder }) => folder), 'proto'])
    watch(path.join(root, folder), { recursive: true }, (_, name) => {
      if (name === null || !/\.(ts|proto)$/.test(name) || /(^|\/)generated\//.test(name)) return;
      changed.add(path.join(folder, name));
      wake();
    });
}

async function followChanges(): Promise<void> {
  while (!stopping) {
    if (changed.size === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    await sleep(TOGETHER_MS);
    const files = [...changed];
    changed.clear();
    await takeIn(files).catch((error: unknown) => {
      // esbuild has printed the place of the error; the programs continue unchanged.
      if (!stopping) console.error(`Not taken in: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
    });
  }
}

/** Builds the changed sources, restarts the programs that contain them, and runs their tests. */
async function takeIn(files: readonly string[]): Promise<void> {
  console.log(`\n${new Date().toLocaleTimeString()} changed: ${files.join(', ')}`);
  tests?.kill();
  const proto = files.some((file) => file.endsWith('.proto'));
  const sources = files.filter((file) => !/\.test\.ts$|\/testing\//.test(file));
  if (sources.length > 0) {
    const begun = Date.now();
    if (proto) generate();
    await bundle(root, builder.build);
    console.log(`Built in ${Date.now() - begun} ms`);
    const isPartOf = (program: string): boolean => {
      const made = builder.sourcesOf(`dist/${program}/main.js`);
      return proto || sources.some((file) => made.has(file));
    };
    await restart('Replicas', isPartOf('server'), () => cluster.restartReplicas());
    await restart('The controller manager', isPartOf('controllers'), () => cluster.restartManager());
  }
  const affected = changedTests(root, files);
  if (affected.length === 0 || stopping) return;
  console.log(`Testing ${affected.join(', ')}`);
  tests = spawn(process.execPath, [mocha, '--reporter=dot', ...affected], { cwd: root, stdio: 'inherit' });
}

async function restart(what: string, wanted: boolean, act: () => Promise<void>): Promise<void> {
  if (!wanted || stopping) return;
  const begun = Date.now();
  await act();
  console.log(`${what} started again in ${Date.now() - begun} ms`);
}

function generate(): void {
  for (const room of ['schema', 'client']) {
    const { status } = spawnSync(process.execPath, [path.join(root, room, 'generate/main.ts')], { stdio: 'inherit' });
    if (status !== 0) throw new Error(`${room}/generate/main.ts ended with status ${status}`);
  }
}

async function shutDown(): Promise<void> {
  if (stopping) return;
  stopping = true;
  console.log('\nStopping …');
  tests?.kill();
  await Promise.all([cluster.stop(), builder.dispose()]);
  process.exit();
}
