import { once } from 'node:events';
import type { ReadStream, WriteStream } from 'node:tty';
import type { TerminalSize } from '#client/streams/remote-command.ts';
import type { Io } from '../framework/io.ts';

/** The streams of a process that a command uses, if they are possible here. */
export interface StreamOptions {
  readonly stdin: boolean;
  /** Whether the process has a terminal and gets all keys unchanged. */
  readonly tty: boolean;
}

/** The possible streams. There is a terminal only if the input is a terminal. If it is not, the function warns. */
export function availableStreams(stdin: boolean, tty: boolean, io: Io, quiet: boolean): StreamOptions {
  if (!stdin) return { stdin, tty: false };
  if (!tty || io.inputIsTerminal) return { stdin, tty };
  if (!quiet) io.err.write('Unable to use a TTY - input is not a terminal or the right kind of file\n');
  return { stdin, tty: false };
}

/**
 * Passes the keys to another reader until the returned function is called. That function may be called several times.
 */
export function takeKeys(io: Io): () => void {
  const input = io.streams.input as ReadStream;
  input.setRawMode(true);
  const restore = () => {
    process.off('exit', restore);
    if (!input.destroyed) input.setRawMode(false);
  };
  process.on('exit', restore);
  return restore;
}

/** The size of the terminal, now and after each change. */
export async function* terminalSizes(io: Io): AsyncGenerator<TerminalSize, void, void> {
  const output = io.streams.output as WriteStream;
  const stop = new AbortController();
  try {
    for (;;) {
      const { columns, rows } = output;
      if (columns > 0 && rows > 0) yield { columns, rows };
      await once(output, 'resize', { signal: AbortSignal.any([stop.signal, io.signal]) });
    }
  } finally {
    stop.abort();
  }
}
