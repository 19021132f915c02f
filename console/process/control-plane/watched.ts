import { ApiError, isForbidden } from '#client/errors.ts';
import type { Transport } from '#client/http/transport.ts';
import type { HealthCheck, ProcessFigures, WatchedProcess } from '../../protocol/control-plane.ts';
import { Reading } from './reading.ts';

/** The number of stored readings of a process. */
const MOST_READINGS = 61;

/** The largest text of metrics that is read, in bytes. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A process of the control plane that is read repeatedly: its checks and its metrics. */
export class Watched {
  readonly address: string;
  readonly #transport: Transport;
  readonly #healthPath: string;
  readonly #readings: Reading[] = [];
  #checks: readonly HealthCheck[] = [];
  #isReady: boolean | undefined;
  #problem = '';
  #lastAnswer = 0;

  /**
   * @param address `127.0.0.1:6443`
   * @param healthPath answers with a list of checks; begins with the path of the server's address, if that has one
   */
  constructor(address: string, transport: Transport, healthPath: string) {
    this.address = address;
    this.#transport = transport;
    this.#healthPath = healthPath;
  }

  /** Readings of the time since the process began, oldest first. */
  get readings(): readonly Reading[] {
    return this.#readings;
  }

  /** The last reading; undefined if the metrics cannot be read now. */
  get latest(): Reading | undefined {
    return this.#problem === '' ? this.#readings.at(-1) : undefined;
  }

  /** Whether it ever answered. */
  get isKnown(): boolean {
    return this.#lastAnswer > 0;
  }

  /** The last reading that is at least this old, or the oldest. Undefined if there is no earlier reading. */
  before(windowMs: number): Reading | undefined {
    const newest = this.#readings.at(-1);
    if (newest === undefined) return undefined;
    const old = this.#readings.findLast(({ at }) => newest.at - at >= windowMs) ?? this.#readings[0];
    return old === newest ? undefined : old;
  }

  /** Asks it once. Never rejects. */
  async read(): Promise<void> {
    try {
      await this.#readChecks();
    } catch (error) {
      this.#isReady = undefined;
      this.#checks = [];
      this.#problem = textOf(error);
      return;
    }
    try {
      await this.#readMetrics();
      this.#problem = '';
    } catch (error) {
      this.#problem = isForbidden(error) ? FORBIDDEN : `its metrics cannot be read: ${textOf(error)}`;
    }
  }

  state(windowMs: number): WatchedProcess {
    return {
      address: this.address,
      isReady: this.#isReady,
      problem: this.#problem,
      lastAnswer: this.#lastAnswer,
      checks: this.#checks,
      figures: this.#figures(windowMs),
    };
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #readChecks(): Promise<void> {
    const headers = { accept: 'text/plain' };
    const path = `${this.#healthPath}?verbose`;
    // A process that is not ready answers with a special code, and still lists its checks.
    const incoming = await this.#transport.open({ method: 'GET', path, headers, asItIs: true });
    const text = await incoming.text();
    const isAbout = incoming.status === 200 || incoming.status === 500 || incoming.status === 503;
    if (!isAbout) throw new ApiError(incoming.status, { message: `its checks cannot be read (${incoming.status})` });
    this.#isReady = incoming.status === 200;
    this.#checks = checksIn(text);
    this.#lastAnswer = Date.now();
  }

  async #readMetrics(): Promise<void> {
    const incoming = await this.#transport.open({ method: 'GET', path: '/metrics', headers: { accept: 'text/plain' } });
    const reading = new Reading(Date.now());
    const reader = reading.reader();
    let bytes = 0;
    for await (const piece of incoming.pieces()) {
      bytes += piece.length;
      if (bytes > MOST_BYTES) throw new Error(`they have more than ${MOST_BYTES} bytes`);
      reader.push(piece.toString('latin1'));
    }
    reader.end();
    // A process that began again counts from nothing.
    const started = (one: Reading | undefined) => one?.value('process_start_time_seconds');
    if (started(this.#readings.at(-1)) !== started(reading)) this.#readings.length = 0;
    this.#readings.push(reading);
    if (this.#readings.length > MOST_READINGS) this.#readings.shift();
  }

  #figures(windowMs: number): ProcessFigures | undefined {
    const now = this.latest;
    if (now === undefined) return undefined;
    const started = now.value('process_start_time_seconds');
    return {
      version: now.version,
      started: started === undefined ? undefined : started * 1000,
      memoryBytes: now.value('process_resident_memory_bytes'),
      processor: this.#processor(now, windowMs),
      loopLagSeconds: now.value('nodejs_eventloop_lag_p99_seconds'),
      openFiles: now.value('process_open_fds'),
      connections: totalOf(now, 'apiserver_open_connections'),
    };
  }

  #processor(now: Reading, windowMs: number): number | undefined {
    const before = this.before(windowMs);
    const [used, usedBefore] = [now, before].map((one) => one?.value('process_cpu_seconds_total'));
    if (before === undefined || used === undefined || usedBefore === undefined) return undefined;
    return ((used - usedBefore) * 1000) / (now.at - before.at);
  }
}

/** The text that is shown instead of figures if the user may not read them. */
const FORBIDDEN = 'you may not read its metrics';

/** The checks in the text of a health path: `[+]ping ok`. */
export function checksIn(text: string): readonly HealthCheck[] {
  return [...text.matchAll(/^\[([+-])\](\S+)/gm)].map(([, sign, name]) => ({ name: name!, ok: sign === '+' }));
}

/** The sum of a family; undefined if the process does not have it. */
export function totalOf(reading: Reading, family: string): number | undefined {
  const series = reading.series(family);
  return series.length === 0 ? undefined : series.reduce((sum, { value }) => sum + value, 0);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
