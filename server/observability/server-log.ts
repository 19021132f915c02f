import { type Logger, pino } from 'pino';
import { logOutput } from '#program/process/log-output.ts';
import { textLine } from './text-line.ts';

/** The numbers by which operators of this field ask for more. */
const VERBOSITY_OF: Readonly<Record<string, number>> = Object.assign(Object.create(null), { debug: 4, trace: 6 });

/**
 * The log of a program on standard output. Lines of JSON say when (`ts`, seconds since the epoch), what (`msg`), how
 * verbose one must be to see it (`v`) and how grave it is (`level`: `debug`, `info`, `warn`, `error`, and `fatal` for
 * the end); in text the same stands in the order that people read. A line is out when the call returns, so that what a
 * process says last is not lost with it; where it cannot be written, the process goes on.
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
