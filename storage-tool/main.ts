#!/usr/bin/env node
import { harmlessText } from '#base/text/terminal-text.ts';
import { standardOutputs } from '#program/process/standard-output.ts';
import { run } from './run.ts';

/** The characters with which progress replaces its earlier output. */
const AGAIN = '\r\u001b[K';

const { out, err } = standardOutputs(process, 'orch-storage: ', (code) => process.exit(code));
process.exitCode = await run(process.argv.slice(2), {
  out,
  err: {
    isTTY: process.stderr.isTTY === true,
    write: (text) =>
      text.startsWith(AGAIN) ? err.write(AGAIN + harmlessText(text.slice(AGAIN.length)), true) : err.write(text),
  },
});
