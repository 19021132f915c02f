import type { Logger } from 'pino';

/**
 * If the stop of a process also hangs, the process ends after this time, in milliseconds. It is longer than a stop may
 * take.
 */
const PATIENCE = 90_000;

/**
 * Ends the process after an unexpected failure that no code handles. Its state may be wrong, and another process
 * replaces it. `stop` finishes the work in progress. The last line of the log contains the reason.
 */
export function endOnMistake(log: Logger, stop: () => Promise<void>): void {
  let ending = false;
  const end = (error: unknown, what: string): void => {
    if (ending) {
      log.error({ err: error }, `${what}, while the process ends`);
      return;
    }
    ending = true;
    log.fatal({ err: error }, `${what}: the process finishes the requests in progress and ends`);
    const exit = (): never => {
      const message = error instanceof Error ? error.message : String(error);
      log.fatal(`ended because of a bug in this program (${what}): ${message}`);
      process.exit(1);
    };
    setTimeout(exit, PATIENCE).unref();
    stop()
      .catch((failed: unknown) => log.error({ err: failed }, 'stopping failed'))
      .finally(exit);
  };
  process.on('unhandledRejection', (error) => end(error, 'unhandled rejection'));
  process.on('uncaughtException', (error) => end(error, 'uncaught exception'));
}
