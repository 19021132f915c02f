import { existsSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { isIP } from 'node:net';
import path from 'node:path';
import { pino } from 'pino';
import { ConfigError } from '#base/errors/config-error.ts';
import { usualRelease } from '#base/release/usual-release.ts';
import { versionLine } from '#program/flags/build.ts';
import { flagHelp } from '#program/flags/flag-help.ts';
import { parseFlagTable } from '#program/flags/parse-flag-table.ts';
import { logOutput } from '#program/process/log-output.ts';
import { Verbosity } from '#program/process/verbosity.ts';
import { giveBackMemory } from '#server/observability/small-heap.ts';
import { STAND_IN, writeAssets } from './envtest/assets.ts';
import { type DevFlag, flagSections, flagTable } from './flag-table.ts';

const PROGRAM = 'orch-dev';

/** The variable with the folder in which tests of the field look for such programs. */
const ASSETS = 'KUBEBUILDER_ASSETS';

const MOST_PORT = 65_535;

/** Matches the names that a certificate can contain. */
const HOST_NAME = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i;

/** After this time without clients since the start, a cluster is idle, in milliseconds. */
const SETTLED_MS = 2_000;

async function main(): Promise<void> {
  const [command, ...words] = process.argv.slice(2);
  if (command === STAND_IN.server) return endWith((await import('./envtest/server.ts')).runServer, words);
  if (command === STAND_IN.etcd) return endWith((await import('./envtest/etcd.ts')).runEtcd, words);
  if (command === 'envtest-assets') return makeAssets(words);
  const invocation = parseFlagTable<DevFlag>(process.argv.slice(2), flagTable);
  if ('show' in invocation) {
    const about =
      'A cluster in one process, for tests, previews and lessons: no etcd, and nodes only where they are simulated.';
    const text =
      invocation.show === 'help' ? flagHelp(PROGRAM, about, flagSections, invocation.naming) : versionLine(PROGRAM);
    process.stdout.write(`${text}\n`);
    return;
  }
  if (!isBuiltin('node:sqlite'))
    throw new ConfigError(`this program needs Node.js 24 or later, and this is ${process.version}`);
  const { flags } = invocation;
  const port = flags.get('port');
  if (port < 0 || port > MOST_PORT) throw new ConfigError(`flag --port must be between 0 and ${MOST_PORT}`);
  if (flags.get('nodes') < 0) throw new ConfigError('flag --nodes must not be negative');
  const wrong = flags.get('hosts').find((host) => isIP(host) === 0 && !HOST_NAME.test(host));
  if (wrong !== undefined)
    throw new ConfigError(`flag --hosts: ${JSON.stringify(wrong)} is no name or address of a host`);
  const verbosity = new Verbosity(flags.get('v'));
  // One line on standard output reports the success.
  const level = flags.isSet('v') ? verbosity.level : 'error';
  const log = pino({ name: PROGRAM, level }, logOutput(process.stderr.fd));
  // The handlers of signals come later, because they cannot run while this code loads. There is nothing to remove yet.
  const { startDevCluster } = await import('./dev-cluster.ts');
  const stop = new AbortController();
  const stopped = new Promise<void>((resolve) =>
    stop.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  const data = flags.get('data');
  let ready = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
      // Only a store in a folder needs to be closed.
      if (!ready && data === '') process.exit(0);
    });
  // An empty folder usually comes from a variable that is not set. The objects would then be lost at the end of the
  // process.
  if (flags.isSet('data') && data === '') throw new ConfigError('flag --data needs a folder');
  const definitions = flags.get('definitions');
  const releases = flags.isSet('emulated-version') ? flags.get('emulated-version') : [usualRelease(flags.naming).name];
  const cluster = await startDevCluster({
    naming: flags.naming,
    data: data === '' ? undefined : path.resolve(data),
    port,
    address: flags.get('bind-address'),
    hosts: flags.get('hosts'),
    nodes: flags.get('nodes'),
    definitions: definitions === '' ? undefined : definitions,
    serverFlags: releases.map((version) => `--emulated-version=${version}`),
    until: stop.signal,
    log,
  }).catch((error: unknown) => {
    // Programs that wait for the line get the end of the output instead.
    if (stop.signal.aborted) process.exit(0);
    throw error;
  });
  const file = flags.get('kubeconfig') === '' ? undefined : path.resolve(flags.get('kubeconfig'));
  try {
    if (file !== undefined) writeFileSync(file, cluster.connectionFile, { mode: 0o600 });
  } catch (error) {
    await cluster.stop();
    throw new ConfigError(`cannot write the file of --kubeconfig: ${(error as Error).message}`);
  }
  ready = true;
  process.stdout.write(`${JSON.stringify({ url: cluster.url, kubeconfig: file ?? null })}\n`);
  // This line is only for people. Programs read the line above, and may not expect another line.
  if (process.stderr.isTTY) process.stderr.write(consoleHint(file));
  // The controllers have created their initial objects.
  setTimeout(giveBackMemory, SETTLED_MS).unref();
  await stopped;
  await cluster.stop();
  process.exit(0);
}

/** How to open the cluster in a browser. */
function consoleHint(file: string | undefined): string {
  if (file === undefined) return 'Give --kubeconfig=FILE to look at this cluster in a browser, with orchctl console.\n';
  const built = path.join(import.meta.dirname, '../cli/main.js');
  const program = existsSync(built) ? `node ${path.relative('.', built)}` : 'orchctl';
  return `Look at it in a browser:\n  ${program} console --kubeconfig=${file}\n`;
}

/** Runs a program until a signal requests its end, and then ends the process. */
async function endWith(
  run: (argv: readonly string[], until: Promise<void>) => Promise<void>,
  argv: readonly string[],
): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  await run(argv, stopped);
  process.exit(0);
}

/** @throws ConfigError if there is not exactly one folder, followed by flags */
function makeAssets([folder, ...flags]: readonly string[]): void {
  const isWrong = folder === undefined || folder.startsWith('-') || flags.some((flag) => !/^--[^=]+=/.test(flag));
  if (isWrong) throw new ConfigError('give a folder, and --NAME=VALUE for flags that each API server is to have');
  const at = writeAssets(
    folder,
    path.join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../dist' : '..'),
    flags,
  );
  process.stdout.write(`${ASSETS}=${at}\n`);
}

/** Does the action of the command line, and then ends the process. */
export function runProgram(): void {
  main().catch((error: unknown) => {
    const meant = error instanceof ConfigError;
    const text = error instanceof Error ? (meant ? error.message : (error.stack ?? error.message)) : String(error);
    process.stderr.write(`${PROGRAM}: ${text}\n`);
    process.exit(1);
  });
}
