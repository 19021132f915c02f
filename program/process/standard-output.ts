import { harmlessText } from '#base/text/terminal-text.ts';

/** An output for the user of the program. */
export interface TextOutput {
  /**
   * Writes text. If the output is a terminal, control sequences are removed.
   * @param styled whether the text already passed through `harmlessText` and then got sequences of this program; it is
   * written unchanged
   */
  write(text: string, styled?: boolean): void;
  /** Characters per line; undefined if the output is not a terminal. */
  readonly columns: number | undefined;
}

/** A stream of this process. */
interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** Errors of writing, in the words of the field. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'no space left on device'],
  ['EDQUOT', 'disk quota exceeded'],
  ['EIO', 'input/output error'],
  ['EFBIG', 'file too large'],
  ['EBADF', 'bad file descriptor'],
]);

/**
 * The outputs of a program that ends when it cannot write. If the reader has closed its end, as `head` does, the
 * program ends without a message. Otherwise it prints the reason and ends with exit code 1.
 *
 * @param mark the text before the message, such as `error: `
 * @param exit ends the process
 */
export function standardOutputs(
  streams: { readonly stdout: Stream; readonly stderr: Stream },
  mark: string,
  exit: (code: number) => never,
): { readonly out: TextOutput; readonly err: TextOutput } {
  const { stdout, stderr } = streams;
  const failed = (name: string, error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE') {
      exit(0);
      return;
    }
    if (name === 'stderr') {
      exit(1);
      return;
    }
    try {
      stderr.write(`${mark}write /dev/${name}: ${WORDS.get(error.code ?? '') ?? error.message}\n`);
    } catch {
      // The program cannot report the error either.
    }
    exit(1);
  };
  const outputTo = (name: string, stream: Stream): TextOutput => {
    stream.on('error', (error: NodeJS.ErrnoException) => failed(name, error));
    return {
      write(text, styled = false) {
        try {
          stream.write(stream.isTTY && !styled ? harmlessText(text) : text);
        } catch (error) {
          // An older Node.js throws an error that newer versions report by an event.
          failed(name, error as NodeJS.ErrnoException);
        }
      },
      get columns() {
        return stream.isTTY ? stream.columns : undefined;
      },
    };
  };
  return { out: outputTo('stdout', stdout), err: outputTo('stderr', stderr) };
}
