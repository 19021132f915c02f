import { type Logger, pino } from 'pino';
import { logOutput } from '#program/process/log-output.ts';

/** The log of a program on standard error, with lines of JSON or of text. */
export function createLog(name: string, format: string, level: string): Logger {
  const output = logOutput(process.stderr.fd);
  const write = (line: string) => output.write(format === 'json' ? line : toText(line));
  return pino({ name, level, formatters: { level: (label) => ({ level: label }) } }, { write });
}

/** A line of text, such as `2026-01-02T03:04:05.678Z info namespace: removed its content namespace=x`. */
export function toText(line: string): string {
  const {
    level,
    time,
    pid: _pid,
    hostname: _host,
    name: _name,
    msg,
    controller,
    err,
    ...fields
  } = JSON.parse(line) as {
    level: string;
    time: number;
    err?: { message?: string; stack?: string };
  } & Record<string, unknown>;
  const parts = Object.entries(fields).map(([key, value]) => ` ${key}=${plain(value)}`);
  const failure =
    err === undefined
      ? ''
      : ` error=${JSON.stringify(err.message)}${level === 'error' || level === 'fatal' ? `\n${err.stack}` : ''}`;
  const who = controller === undefined ? '' : `${String(controller)}: `;
  return `${new Date(time).toISOString()} ${level} ${who}${String(msg)}${parts.join('')}${failure}\n`;
}

function plain(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
}
