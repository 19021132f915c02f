import { homedir } from 'node:os';
import { standardOutputs } from '#program/process/standard-output.ts';
import { run } from './command-line/run.ts';
import { commands } from './commands/index.ts';
import { readAll } from './framework/read-input.ts';

/** The names under which compiled code is stored. They are the names of commands. */
export const commandNames: ReadonlySet<string> = new Set(commands.map(({ name }) => name));

/** Runs the command line of this process. */
export async function start(): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      interrupted.abort();
      // If the program does not end after the first signal, a second signal ends it.
      process.once(signal, () => process.exit(130));
    });
  // The exit code stays 13 if the event loop becomes empty before the command has ended; Node.js uses the same code.
  process.exitCode = 13;
  const { out, err } = standardOutputs(process, 'error: ', (code) => process.exit(code));
  process.exitCode = await run(
    commands,
    process.argv.slice(2),
    {
      ...{ out, err },
      readInput: () => readAll(process.stdin, interrupted.signal),
      get inputIsTerminal() {
        return process.stdin.isTTY === true;
      },
      streams: {
        get input() {
          return process.stdin;
        },
        output: process.stdout,
        errors: process.stderr,
      },
      env: process.env,
      home: homedir(),
      signal: interrupted.signal,
      now: Date.now,
    },
    { plugin: async (words, io) => (await import('./commands/plugin/run.ts')).runPlugin(words, io) },
  );
}
