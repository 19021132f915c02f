import type { Readable, Writable } from 'node:stream';
import type { TextOutput } from '#program/process/standard-output.ts';

/** Everything outside of the process that a command may use. Tests replace it. */
export interface Io {
  readonly out: TextOutput;
  readonly err: TextOutput;
  /** Reads all of standard input. Rejects at Ctrl-C. */
  readInput(): Promise<string>;
  /** Whether standard input is a terminal. */
  readonly inputIsTerminal: boolean;
  /** The raw standard streams, for commands that transfer bytes (exec, attach, cp). */
  readonly streams: { readonly input: Readable; readonly output: Writable; readonly errors: Writable };
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** The signal that Ctrl-C aborts. */
  readonly signal: AbortSignal;
  /** The time in milliseconds since 1970. */
  now(): number;
}

/** Whether a person reads the output. Hints, colours and progress are only for people. */
export function isForPeople({ err, env }: Io): boolean {
  const wanted = env['ORCHCTL_HINTS'];
  return wanted === 'always' || (wanted !== 'never' && err.columns !== undefined);
}
