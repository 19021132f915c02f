import type { Logger } from 'pino';
import type { Verbosity } from '#program/process/verbosity.ts';
import type { ServerOptions } from '../config/options.ts';
import type { WorkerPool } from '../observability/worker-pool.ts';
import { type RunningServer, startServer } from '../stages/start-server.ts';
import { endOnMistake } from './end-on-mistake.ts';
import { type ChannelEnd, Link } from './link.ts';
import { ownLog } from './own-log.ts';

/** The time limit for the other workers. The supervisor stops waiting for them sooner than this. */
const HEALTH_MS = 2_000;
const METRICS_MS = 5_000;

/**
 * Serves as worker number `worker`. It ends if the supervisor asks for it, or has ended. Rejects if it cannot start.
 */
export async function runWorker(
  options: ServerOptions,
  worker: number,
  log: Logger,
  verbosity: Verbosity,
): Promise<void> {
  // Terminals and service managers signal all processes. The supervisor decides what its workers do.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
  const started: { server?: RunningServer } = {};
  endOnMistake(log, async () => started.server?.stop());
  const link: Link = new Link(process as ChannelEnd, {
    ping: () => null,
    stop: () => {
      void stop(started.server, log);
      return null;
    },
    values: async () => (await started.server?.metricValues()) ?? [],
    healthz: async () => (await started.server?.failing('healthz')) ?? [],
    livez: async () => (await started.server?.failing('livez')) ?? [],
    readyz: async () => (await started.server?.failing('readyz')) ?? ['not started'],
  });
  const workerPool: WorkerPool = {
    count: options.workers,
    trouble: (path) => link.ask(path, HEALTH_MS).catch(() => ['the supervisor does not answer']),
    metrics: () => link.ask('metrics', METRICS_MS),
  };
  const { logFile } = options.audit;
  const audit = { ...options.audit, logFile: logFile && { ...logFile, path: ownLog(logFile.path, worker) } };
  started.server = await startServer({ ...options, audit }, log, verbosity, workerPool);
}

async function stop(server: RunningServer | undefined, log: Logger): Promise<never> {
  try {
    await server?.stop();
    process.exit(0);
  } catch (error) {
    log.error({ err: error }, 'stopping failed');
    process.exit(1);
  }
}
