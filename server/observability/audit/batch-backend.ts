import { setTimeout as sleep } from 'node:timers/promises';
import { TokenBucket } from '#base/limits/token-bucket.ts';
import { timerMs } from '#base/time/longest-timer.ts';
import type { BatchLimits } from '../../config/audit-options.ts';
import type { AuditEntry } from './audit-event.ts';
import type { AuditBackend, AuditSink, OnLoss } from './backend.ts';

/**
 * The largest number of waiting characters. Clients decide how large bodies are, so a limit of events is not enough.
 */
const MAX_WAITING = 128 << 20;

/** Collects events and sends them in batches. Requests never wait for it. Events beyond its capacity are lost. */
export class BatchBackend implements AuditBackend {
  readonly #plugin: string;
  readonly #sink: AuditSink;
  readonly #limits: BatchLimits;
  readonly #onLoss: OnLoss;
  readonly #throttle: Throttle | undefined;
  readonly #underWay = new Set<Promise<void>>();
  #waiting: AuditEntry[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopping = false;
  #sending = false;
  #sent: Promise<void> = Promise.resolve();

  constructor(plugin: string, sink: AuditSink, limits: BatchLimits, onLoss: OnLoss) {
    this.#plugin = plugin;
    this.#sink = sink;
    this.#limits = limits;
    this.#onLoss = onLoss;
    this.#throttle = limits.throttle && new Throttle(limits.throttle.qps, limits.throttle.burst);
  }

  process(entry: AuditEntry): boolean {
    const length = entry.json.length;
    if (this.#waiting.length >= this.#limits.bufferSize || this.#characters + length > MAX_WAITING) {
      this.#onLoss(this.#plugin, 1, new Error('the buffer is full'));
      return true;
    }
    this.#waiting.push(entry);
    this.#characters += length;
    if (this.#waiting.length >= this.#limits.maxSize || this.#stopping) this.#run();
    else this.#timer ??= setTimeout(() => this.#run(), timerMs(this.#limits.maxWaitMs)).unref();
    return true;
  }

  /** Sends the waiting events without throttling. Later events are sent at once. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#throttle?.open();
    const stopped = this.#sink.stop();
    this.#run();
    await this.#sent;
    await Promise.all(this.#underWay);
    await stopped;
  }

  #run(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#sending) return;
    this.#sending = true;
    this.#sent = this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    // Events that arrived while a batch was sent need not wait again.
    for (let all = true; this.#waiting.length > 0 && (all || this.#isDue()); all = false) {
      await this.#throttle?.take();
      if (this.#underWay.size >= this.#limits.concurrency) await Promise.race(this.#underWay);
      const batch = this.#waiting.splice(0, this.#limits.maxSize);
      for (const { json } of batch) this.#characters -= json.length;
      this.#send(batch);
    }
    this.#sending = false;
    if (this.#waiting.length > 0)
      this.#timer ??= setTimeout(() => this.#run(), timerMs(this.#limits.maxWaitMs)).unref();
  }

  #isDue(): boolean {
    return this.#stopping || this.#waiting.length >= this.#limits.maxSize;
  }

  #send(batch: readonly AuditEntry[]): void {
    const sent = this.#sink
      .send(batch)
      .catch((error: unknown) => this.#onLoss(this.#plugin, batch.length, error))
      .finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
  }
}

/** A token bucket whose callers wait. */
class Throttle {
  readonly #bucket: TokenBucket;
  readonly #opened = new AbortController();

  constructor(qps: number, burst: number) {
    this.#bucket = new TokenBucket(qps, burst);
  }

  /** Waits for a token. Only one caller may wait at a time. */
  async take(): Promise<void> {
    const { signal } = this.#opened;
    const wait = this.#bucket.reserve();
    if (wait > 0 && !signal.aborted) await sleep(timerMs(wait), undefined, { ref: false, signal }).catch(() => {});
  }

  /** Ends every wait, now and later. */
  open(): void {
    this.#opened.abort();
  }
}
