import type { LogFormat } from '../../config/audit-options.ts';
import { type AuditEntry, jsonLine, legacyLine } from './audit-event.ts';
import type { AuditSink } from './backend.ts';
import type { LogFile } from './log-file.ts';

/** Takes lines; rejects when they are not kept. */
export type LogTarget = Pick<LogFile, 'append' | 'close'>;

/** The process's own output (`--audit-log-path=-`). */
export const standardOutput: LogTarget = {
  append: (bytes) =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
    }),
  close: async () => {},
};

/** Writes each event as a line. */
export class LogSink implements AuditSink {
  readonly #target: LogTarget;
  readonly #line: (entry: AuditEntry) => string;

  constructor(target: LogTarget, format: LogFormat, apiVersion: string) {
    this.#target = target;
    this.#line = format === 'json' ? (entry) => jsonLine(entry, apiVersion) : legacyLine;
  }

  send(entries: readonly AuditEntry[]): Promise<void> {
    return this.#target.append(Buffer.from(entries.map((entry) => `${this.#line(entry)}\n`).join('')));
  }

  async stop(): Promise<void> {}
}
