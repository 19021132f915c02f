import { setTimeout as sleep } from 'node:timers/promises';
import { timerMs } from '#base/time/longest-timer.ts';
import type { Batch, Feed } from '#storage/object-store.ts';
import type { CacheLog } from './resource-entries.ts';

const MIN_BACKOFF_MS = 20;
const MAX_BACKOFF_MS = 1000;

export interface FollowerOptions {
  /** Opens a feed that continues after the end of the previous one. */
  readonly open: (signal: AbortSignal) => Feed;
  readonly take: (batch: Batch) => Promise<void>;
  /**
   * Prepares for the next feed after one has ended. It gets the error that ended the feed, if there is one. If it
   * throws, it is called again.
   */
  readonly recover: (reason: unknown) => Promise<void>;
  readonly log: CacheLog;
}

/** Reads feeds, one after another. */
export class FeedFollower {
  readonly #options: FollowerOptions;
  #feed: Feed | undefined;
  #abort: AbortController | undefined;
  #recovering: Promise<void> | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  requestProgress(): void {
    this.#feed?.requestProgress();
  }

  /** Ends the present feed and opens another one. */
  reopen(): void {
    this.#abort?.abort();
  }

  /** Whether it becomes certain within this time that the current feed continues at the end of the previous one. */
  async recovered(timeoutMs: number): Promise<boolean> {
    if (this.#recovering === undefined) return true;
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, timerMs(timeoutMs), false);
    });
    const result = await Promise.race([this.#recovering.then(() => true), tooLate]);
    clearTimeout(timer);
    return result;
  }

  /** Resolves when it is stopped. It never rejects. */
  async run(stop: AbortSignal): Promise<void> {
    const backoff = new Backoff(stop);
    while (!stop.aborted) {
      const reason = await this.#readFeed(stop, backoff);
      if (stop.aborted) return;
      this.#options.log.info({ err: reason }, 'the feed ended and is reopened');
      this.#recovering = this.#recover(reason, stop, backoff);
      await this.#recovering;
      this.#recovering = undefined;
    }
  }

  async #recover(reason: unknown, stop: AbortSignal, backoff: Backoff): Promise<void> {
    while (!stop.aborted) {
      await backoff.wait();
      try {
        return await this.#options.recover(reason);
      } catch (error) {
        this.#options.log.warn({ err: error }, 'the feed cannot be reopened yet');
      }
    }
  }

  async #readFeed(stop: AbortSignal, backoff: Backoff): Promise<unknown> {
    const abort = new AbortController();
    const forward = () => abort.abort();
    stop.addEventListener('abort', forward, { once: true });
    this.#abort = abort;
    try {
      this.#feed = this.#options.open(abort.signal);
      for await (const batch of this.#feed) {
        await this.#options.take(batch);
        backoff.reset();
        if (abort.signal.aborted) return undefined;
      }
      return undefined;
    } catch (error) {
      return error;
    } finally {
      stop.removeEventListener('abort', forward);
      abort.abort();
      this.#feed = undefined;
    }
  }
}

/** Waits between attempts. Each wait is longer than the previous one, up to a second. */
export class Backoff {
  readonly #stop: AbortSignal;
  #ms = MIN_BACKOFF_MS;

  constructor(stop: AbortSignal) {
    this.#stop = stop;
  }

  reset(): void {
    this.#ms = MIN_BACKOFF_MS;
  }

  /** Waits. Returns early when it is stopped. */
  async wait(): Promise<void> {
    const ms = this.#ms;
    this.#ms = Math.min(MAX_BACKOFF_MS, ms * 2);
    await sleep(timerMs(ms), undefined, { signal: this.#stop }).catch(() => {});
  }
}
