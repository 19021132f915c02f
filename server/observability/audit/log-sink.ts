import { write as writeWithCallback } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { LogFormat } from '../../config/audit-options.ts';
import { type AuditEntry, jsonLine, legacyLine } from './audit-event.ts';
import type { AuditSink } from './backend.ts';
import type { LogFile } from './log-file.ts';

const write = promisify(writeWithCallback);

/** Writes lines. Rejects if they are not kept. */
export type LogTarget = Pick<LogFile, 'append' | 'close'>;

/** How long a reader may take to read earlier output, in milliseconds, and the interval of checks. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 10;

/** An output of the process (`--audit-log-path=-`). A stream of Node.js would end permanently with the first error. */
export class OutputTarget implements LogTarget {
  readonly #file: number;
  #before: Promise<unknown> = Promise.resolve();

  /** @param file the number of the open file */
  constructor(file: number) {
    this.#file = file;
  }

  append(bytes: Buffer): Promise<void> {
    const done = this.#before.then(() => writeWhole(this.#file, bytes));
    this.#before = done.catch(() => {});
    return done;
  }

  async close(): Promise<void> {
    await this.#before;
  }
}

async function writeWhole(file: number, bytes: Buffer): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += (await write(file, bytes, at)).bytesWritten;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > until) throw error;
      await sleep(LOOK_EVERY_MS);
    }
  }
}

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
