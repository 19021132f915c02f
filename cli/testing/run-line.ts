import { PassThrough, Writable } from 'node:stream';
import type { Client } from '#client/client.ts';
import { standardOutputs } from '#program/process/standard-output.ts';
import { run } from '../command-line/run.ts';
import { commands } from '../commands/index.ts';
import type { Io } from '../framework/io.ts';

/** The result of a command line. */
export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface LineOptions {
  /** The client to use in place of a connection, for example one of a fake server. */
  readonly client?: Client;
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly home?: string;
  /** The number of columns of the simulated terminal. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** Called at once with everything that is written. */
  readonly onOutput?: (text: string) => void;
}

/** Runs a command line in this process. */
export async function runLine(words: readonly string[], options: LineOptions = {}): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  const collect = (add: (text: string) => void) =>
    new Writable({
      write(chunk: Buffer, _, done) {
        add(chunk.toString());
        options.onOutput?.(chunk.toString());
        done();
      },
    });
  const output = collect((text) => (stdout += text));
  const errors = collect((text) => (stderr += text));
  const { columns, input = '' } = options;
  const asStream = (stream: Writable) =>
    Object.assign(stream, { isTTY: columns !== undefined, columns: columns ?? 80 });
  const stream = new PassThrough();
  stream.end(input);
  const io: Io = {
    ...standardOutputs({ stdout: asStream(output), stderr: asStream(errors) }, 'error: ', (code) => {
      throw new Error(`a test ended with ${code}`);
    }),
    readInput: async () => input,
    inputIsTerminal: false,
    streams: { input: stream, output, errors },
    env: options.env ?? {},
    // A folder in which no user can write, not even root.
    home: options.home ?? '/dev/null/home',
    signal: options.signal ?? new AbortController().signal,
    now: Date.now,
  };
  const code = await run(commands, words, io, options.client === undefined ? {} : { client: options.client });
  return { stdout, stderr, code };
}
