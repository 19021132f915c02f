#!/usr/bin/env node
import type { Logger } from 'pino';
import { ConfigError } from '#base/errors/config-error.ts';
import { versionLine } from '#program/flags/build.ts';
import { flagHelp } from '#program/flags/flag-help.ts';
import { standardOutputs } from '#program/process/standard-output.ts';
import { Verbosity } from '#program/process/verbosity.ts';
import { useCompileCache } from './compile-cache.ts';
import { flagSections } from './config/flags/flag-table.ts';
import { readServerOptions, type ServerOptions } from './config/options.ts';
import { parseFlags } from './config/parse-flags.ts';
import { serverLog } from './observability/server-log.ts';
import { keepHeapSmall } from './observability/small-heap.ts';
import type { RunningServer } from './stages/start-server.ts';
import { endOnMistake } from './workers/end-on-mistake.ts';
import type { StartFailed } from './workers/start-failed.ts';

const PROGRAM = 'orch-apiserver';

async function main(): Promise<void> {
  const invocation = parseFlags(process.argv.slice(2));
  if ('show' in invocation) {
    const about = 'A stateless replica of the cluster control plane: REST over etcd.';
    const text =
      invocation.show === 'help' ? flagHelp(PROGRAM, about, flagSections, invocation.naming) : versionLine(PROGRAM);
    standardOutputs(process, `${PROGRAM}: `, (code) => process.exit(code)).out.write(`${text}\n`);
    return;
  }
  keepHeapSmall();
  // This happens only now, because compiled code is valid only for the same flags of the engine.
  useCompileCache(import.meta.filename);
  const options = readServerOptions(invocation.flags);
  const verbosity = new Verbosity(options.verbosity ?? 0);
  const asked = options.verbosity === undefined ? process.env['LOG_LEVEL'] : undefined;
  const log = serverLog(PROGRAM, options.logFormat, asked ?? verbosity.level);
  if (options.workers > 1) await serveAsWorkers(options, log, verbosity);
  else await serve(options, log, verbosity);
}

async function serve(options: ServerOptions, log: Logger, verbosity: Verbosity): Promise<void> {
  verbosity.steer(log);
  for (const warning of options.warnings) log.warn(warning);
  const { startServer } = await import('./stages/start-server.ts');
  const started: { server?: RunningServer } = {};
  endOnMistake(log, async () => started.server?.stop());
  const server = await startServer(options, log, verbosity);
  started.server = server;
  let stopping = false;
  const stop = (signal: string): void => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** The same program is the supervisor, and then each of its workers. What serves is loaded by the workers only. */
async function serveAsWorkers(options: ServerOptions, log: Logger, verbosity: Verbosity): Promise<void> {
  const { default: cluster } = await import('node:cluster');
  const { superviseWorkers, WORKER_NUMBER } = await import('./workers/supervisor.ts');
  if (cluster.isPrimary) {
    // The workers end together with this process.
    endOnMistake(log, async () => {});
    for (const warning of options.warnings) log.warn(warning);
    // before the workers could all make one
    if (options.serving.makesCertificate) {
      const { ensureServingCertificate } = await import('./stages/serving-certificate.ts');
      const warning = ensureServingCertificate(options);
      if (warning !== undefined) log.warn(warning);
    }
    process.exit(await superviseWorkers(options.workers, options.metrics.limits, log));
  }
  const { runWorker } = await import('./workers/worker.ts');
  const worker = Number(process.env[WORKER_NUMBER]);
  const own = log.child({ worker });
  verbosity.steer(own);
  await runWorker(options, worker, own, verbosity);
}

main().catch((error: unknown) => {
  const message =
    error instanceof ConfigError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  failStart(`${PROGRAM}: ${message}\n`);
});

/**
 * Ends the process with this message. Workers fail alike, so the supervisor prints common errors once.
 */
function failStart(words: string): void {
  if (process.send === undefined) {
    process.stderr.write(words);
    process.exit(1);
  }
  process.send({ startFailed: words } satisfies StartFailed, () => process.exit(1));
}
