import { pino } from 'pino';

/** How many bytes of lines may wait while they cannot be written. Further lines are lost. */
const MAX_WAITING = 1 << 20;

/**
 * Writes lines of a log to an open file (standard output or standard error). Each line is written when `write` returns.
 * It never throws. If the disk is full or the reader is gone, up to 1 MiB of lines wait, and the program continues
 * without its log.
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
