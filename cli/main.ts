#!/usr/bin/env node
import module from 'node:module';
import { homedir } from 'node:os';

// The compiled code of the last start is found again: a third of the time of a start.
module.enableCompileCache?.();

const [{ run }, { readAll }, { commands }] = await Promise.all([
  import('./frame/run.ts'),
  import('./frame/read-input.ts'),
  import('./commands/index.ts'),
]);

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    interrupted.abort();
    // What does not end by itself now is ended by the second one.
    process.once(signal, () => process.exit(130));
  });
// Who reads our output has enough of it, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await run(
  commands,
  process.argv.slice(2),
  {
    out: {
      write: (text) => void process.stdout.write(text),
      columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    },
    err: {
      write: (text) => void process.stderr.write(text),
      columns: process.stderr.isTTY ? process.stderr.columns : undefined,
    },
    readInput: () => readAll(process.stdin, interrupted.signal),
    inputIsTerminal: process.stdin.isTTY === true,
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
  { plugin: async (words, io) => (await import('./plugins/run.ts')).runPlugin(words, io) },
);
