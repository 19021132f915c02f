import { homedir } from 'node:os';
import { standardOutputs } from '#program/process/standard-output.ts';
import { run } from './command-line/run.ts';
import { commands } from './commands/index.ts';
import { readAll } from './framework/read-input.ts';

/** Names under which compiled code is worth keeping: those of commands. */
export const commandNames: ReadonlySet<string> = new Set(commands.map(({ name }) => name));

/** Runs the command line of this process. */
export async function start(): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      interrupted.abort();
      // What does not end by itself now is ended by the second one.
      process.once(signal, () => process.exit(130));
    });
  // Stays where the event loop has nothing left to do before the command has ended; as Node.js itself says it.
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
