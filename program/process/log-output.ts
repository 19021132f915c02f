import { pino } from 'pino';

/** Bytes of lines that wait while they cannot be written; lines beyond them are lost. */
const MAX_WAITING = 1 << 20;

/**
 * Writes lines of a log to an open file, which is standard output or standard error: each is out when `write` returns.
 * It never throws. Where the disk is full or the reader gone, lines wait for a later one, 1 MiB of them at the most: a
 * program goes on without its log.
 *
 * @param file the number of the open file
 */
export function logOutput(file: number): { write(line: string): void } {
  const output = pino.destination({ dest: file, sync: true, maxLength: MAX_WAITING });
  output.on('error', () => {});
  return {
    write: (line) => {
      output.write(line);
    },
  };
}
