#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { pino } from 'pino';
import { ConfigError } from '#base/errors/config-error.ts';
import { connect } from '#client/client.ts';
import { connectionOfPod } from '#client/connection/find-connection.ts';
import { chooseConnection, readConnectionFiles } from '#program/connection/connection-file.ts';
import { versionLine } from '#program/flags/build.ts';
import { flagHelp } from '#program/flags/flag-help.ts';
import { parseFlagTable } from '#program/flags/parse-flag-table.ts';
import { logOutput } from '#program/process/log-output.ts';
import { standardOutputs } from '#program/process/standard-output.ts';
import { Verbosity } from '#program/process/verbosity.ts';
import { flagSections, flagTable, type NodesFlag } from './flag-table.ts';
import { startNodes } from './start-nodes.ts';

const PROGRAM = 'orch-nodes';

async function main(): Promise<void> {
  const invocation = parseFlagTable<NodesFlag>(process.argv.slice(2), flagTable);
  if ('show' in invocation) {
    const about = 'Simulated nodes, for development and tests only: they run nothing, and say what they would run.';
    const help = () => flagHelp(PROGRAM, about, flagSections, invocation.naming);
    const { out } = standardOutputs(process, `${PROGRAM}: `, (code) => process.exit(code));
    out.write(`${invocation.show === 'help' ? help() : versionLine(PROGRAM)}\n`);
    return;
  }
  setFlagsFromString('--heap-growing-percent=40');
  const { flags } = invocation;
  const verbosity = new Verbosity(flags.get('v'));
  const log = pino({ name: PROGRAM, level: verbosity.level }, logOutput(process.stderr.fd));
  for (const warning of flags.warnings) log.warn(warning);
  const file = flags.get('kubeconfig');
  const connection = file === '' ? connectionOfPod() : chooseConnection(readConnectionFiles([file]));
  if (connection === undefined) throw new ConfigError('where is the API server? Give --kubeconfig, a connection file');
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => (stop.signal.aborted ? process.exit(1) : stop.abort()));
  const client = await connect(connection, {
    naming: flags.naming,
    qps: flags.get('{prefix}api-qps'),
    burst: flags.get('{prefix}api-burst'),
    userAgent: PROGRAM,
  });
  const nodes = await startNodes(flags, client, log, stop.signal);
  const { port } = nodes;
  log.warn({ nodes: flags.get('nodes'), port }, 'simulates nodes: for development and tests only, nothing is run');
  await nodes.ended;
  await client.close();
  process.exit(0);
}

main().catch((error: unknown) => {
  const meant = error instanceof ConfigError;
  const text = error instanceof Error ? (meant ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`${PROGRAM}: ${text}\n`);
  process.exit(1);
});
