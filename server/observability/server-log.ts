import { type Logger, pino } from 'pino';
import { logOutput } from '#program/process/log-output.ts';
import { textLine } from './text-line.ts';

/** The numbers with which operators of this field ask for a more verbose log. */
const VERBOSITY_OF: Readonly<Record<string, number>> = Object.assign(Object.create(null), { debug: 4, trace: 6 });

/**
 * The log of a program on standard output. A JSON line has the time (`ts`, seconds since the epoch), the message
 * (`msg`), the verbosity from which it is shown (`v`) and the level (`level`: `debug`, `info`, `warn`, `error`, and
 * `fatal` for the end of the program). A text line has the same fields in an order for people. Each line is written
 * before the call returns, so the last lines of a process are not lost. If writing fails, the process continues.
 */
export function serverLog(name: string, format: 'json' | 'text', level: string): Logger {
  const options = {
    name,
    level,
    timestamp: () => `,"ts":${Date.now() / 1000}`,
    formatters: { level: (label: string) => ({ level: label, v: VERBOSITY_OF[label] ?? 0 }) },
  };
  const output = logOutput(process.stdout.fd);
  return pino(options, format === 'json' ? output : { write: (line: string) => output.write(textLine(line)) });
}
