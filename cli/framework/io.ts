import type { Readable, Writable } from 'node:stream';
import type { TextOutput } from '#program/process/standard-output.ts';

/** What a command has of the outside; tests give it another. */
export interface Io {
  readonly out: TextOutput;
  readonly err: TextOutput;
  /** All of standard input. Rejects at Ctrl-C. */
  readInput(): Promise<string>;
  /** Whether standard input is a terminal. */
  readonly inputIsTerminal: boolean;
  /** Standard streams themselves, for what passes bytes through (exec, attach, cp). */
  readonly streams: { readonly input: Readable; readonly output: Writable; readonly errors: Writable };
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Whether people read along: hints, colours and progress are for them only. */
export function isForPeople({ err, env }: Io): boolean {
  const wanted = env['ORCHCTL_HINTS'];
  return wanted === 'always' || (wanted !== 'never' && err.columns !== undefined);
}
