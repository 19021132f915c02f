import { pino } from 'pino';
import { logOutput } from '#program/process/log-output.ts';
import type { CallMessage, OutcomeMessage } from '../messages.ts';
import { Cluster } from './cluster.ts';
import type { SteeredClock } from './steered-clock.ts';

/** Answers the calls of the process that started this one. It ends with that process. */
export function serveCalls(clock: SteeredClock): void {
  const log = pino({ name: 'test-cluster', level: 'error' }, logOutput(process.stderr.fd));
  const cluster = new Cluster(clock, log);
  const answer = (outcome: OutcomeMessage) => process.send?.(outcome);
  process.on('message', ({ id, call, args }: CallMessage) => {
    const calls = cluster as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>;
    calls[call]!(...args).then(
      (result) => answer({ id, result }),
      (error: Error) => answer({ id, error: error.message }),
    );
  });
  // The terminal signals all processes, but the parent decides when this process ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => {
    cluster
      .stop()
      .catch(() => cluster.removeFolder())
      .finally(() => process.exit(0));
  });
}
