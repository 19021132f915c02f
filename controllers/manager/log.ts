import { type Logger, pino } from 'pino';

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** The log of a program on standard error: lines of JSON, or of text. */
export function createLog(name: string, format: string, level: string): Logger {
  const write = (line: string) => void process.stderr.write(format === 'json' ? line : toText(line));
  return pino({ name, level }, { write });
}

/** `2026-01-02T03:04:05.678Z info namespace: removed its content namespace=x`. */
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
    level: number;
    time: number;
    err?: { message?: string; stack?: string };
  } & Record<string, unknown>;
  const parts = Object.entries(fields).map(([key, value]) => ` ${key}=${plain(value)}`);
  const failure =
    err === undefined ? '' : ` error=${JSON.stringify(err.message)}${level >= 50 ? `\n${err.stack}` : ''}`;
  const who = controller === undefined ? '' : `${String(controller)}: `;
  return `${new Date(time).toISOString()} ${LEVELS[level] ?? level} ${who}${String(msg)}${parts.join('')}${failure}\n`;
}

function plain(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
}
