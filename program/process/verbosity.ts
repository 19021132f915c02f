import type { Logger } from 'pino';

/** From this verbosity on, each request writes a line to the log. */
const REQUESTS_FROM = 3;
const DEBUG_FROM = 4;
const TRACE_FROM = 6;

/** How much is logged. It may change while the server runs (`--v`, `/debug/flags/v`). */
export class Verbosity {
  #value: number;
  #log: Logger | undefined;

  constructor(value: number) {
    this.#value = value;
  }

  get value(): number {
    return this.#value;
  }

  get level(): 'info' | 'debug' | 'trace' {
    if (this.#value >= TRACE_FROM) return 'trace';
    return this.#value >= DEBUG_FROM ? 'debug' : 'info';
  }

  get logsRequests(): boolean {
    return this.#value >= REQUESTS_FROM;
  }

  /** Sets the level of a log, now and after each change. */
  steer(log: Logger): void {
    this.#log = log;
  }

  set(value: number): void {
    this.#value = value;
    if (this.#log !== undefined) this.#log.level = this.level;
  }
}
