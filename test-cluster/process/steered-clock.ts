import { createRequire, syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

/** The size of the steps of the clocks. In steps, a repeated action happens more than once. */
const STEPS = 10;

/** The real time after each step for due work, in milliseconds. */
const STEP_TAKES_MS = 2;

type Callback = (...args: unknown[]) => void;

/** A timer of the program. It has a time on the steered clock, and a real timer that replaces it. */
interface Pending {
  due: number;
  readonly everyMs: number | undefined;
  readonly run: () => void;
  moved: NodeJS.Timeout | undefined;
}

const real = {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  clearTimeout: globalThis.clearTimeout,
  now: Date.now.bind(Date),
  elapsed: performance.now.bind(performance),
};

/**
 * The clocks and timers of this process, which can be moved ahead: `Date`, `performance.now()`, `setTimeout` and
 * `setInterval` in all their forms. Node.js itself, for example when it ends idle connections, uses the real clock.
 */
export class SteeredClock {
  #ahead = 0;
  readonly #pending = new Map<NodeJS.Timeout, Pending>();

  /** Replaces the clocks and timers of this process, also for modules that load later. */
  install(): void {
    const timers = {
      setTimeout: this.#setTimeout,
      setInterval: this.#setInterval,
      clearTimeout: this.#clear,
      clearInterval: this.#clear,
    };
    const promised = { setTimeout: this.#wait };
    Object.defineProperty(timers.setTimeout, promisify.custom, { value: promised.setTimeout });
    const require = createRequire(import.meta.url);
    Object.assign(globalThis, timers);
    Object.assign(require('node:timers'), timers);
    Object.assign(require('node:timers/promises'), promised);
    syncBuiltinESMExports();
    const ahead = () => this.#ahead;
    globalThis.Date = new Proxy(Date, {
      construct: (target, args, made) =>
        Reflect.construct(target, args.length === 0 ? [real.now() + ahead()] : args, made),
      get: (target, property, from) =>
        property === 'now' ? () => real.now() + ahead() : Reflect.get(target, property, from),
    });
    Object.defineProperty(performance, 'now', { value: () => real.elapsed() + ahead() });
  }

  /** The time in milliseconds since the epoch. */
  get now(): number {
    return real.now() + this.#ahead;
  }

  /** Moves the clocks ahead. Resolves when the due timers have run. */
  async advance(milliseconds: number): Promise<void> {
    const until = this.#ahead + milliseconds;
    for (let step = STEPS; step > 0; step--) {
      this.#ahead += Math.ceil((until - this.#ahead) / step);
      this.#moveTimers();
      await new Promise((resolve) => real.setTimeout(resolve, STEP_TAKES_MS));
    }
  }

  /** The time by which timers are due. It never goes back. */
  get #elapsed(): number {
    return real.elapsed() + this.#ahead;
  }

  #moveTimers(): void {
    const now = this.#elapsed;
    const pending = [...this.#pending].sort(([, a], [, b]) => a.due - b.due);
    for (const [handle, timer] of pending) {
      if (timer.everyMs !== undefined && timer.due > now) continue;
      real.clearTimeout(timer.moved);
      timer.moved = real.setTimeout(timer.run, Math.max(0, timer.due - now));
      if (!handle.hasRef()) timer.moved.unref();
    }
  }

  readonly #setTimeout = (callback: Callback, ms?: number, ...args: unknown[]): NodeJS.Timeout => {
    const run = (): void => {
      this.#clear(handle);
      callback(...args);
    };
    const handle = real.setTimeout(run, ms);
    const pending = { due: 0, everyMs: undefined, run, moved: undefined };
    const refresh = handle.refresh.bind(handle);
    const begin = (): NodeJS.Timeout => {
      real.clearTimeout(this.#pending.get(handle)?.moved);
      this.#pending.set(handle, Object.assign(pending, { due: this.#elapsed + Number(ms ?? 1), moved: undefined }));
      return handle;
    };
    handle.refresh = () => {
      refresh();
      return begin();
    };
    return begin();
  };

  /** An interval keeps its real rhythm. If the clocks jump over one or more of its periods, it also runs once more. */
  readonly #setInterval = (callback: Callback, ms?: number, ...args: unknown[]): NodeJS.Timeout => {
    const everyMs = Math.max(1, Number(ms ?? 1));
    const run = (): void => {
      pending.due = this.#elapsed + everyMs;
      callback(...args);
    };
    const pending: Pending = { due: this.#elapsed + everyMs, everyMs, run, moved: undefined };
    const handle = real.setInterval(run, ms);
    this.#pending.set(handle, pending);
    return handle;
  };

  readonly #clear = (handle?: NodeJS.Timeout): void => {
    real.clearTimeout(handle);
    if (handle === undefined) return;
    real.clearTimeout(this.#pending.get(handle)?.moved);
    this.#pending.delete(handle);
  };

  readonly #wait = <T>(ms?: number, value?: T, options: { signal?: AbortSignal; ref?: boolean } = {}): Promise<T> => {
    const { signal, ref = true } = options;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#clear(handle);
        reject(Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), ABORTED));
      };
      const handle = this.#setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve(value as T);
      }, ms);
      if (!ref) handle.unref();
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
  };
}

/** The name and code of the error of Node.js for an aborted wait. */
const ABORTED = { name: 'AbortError', code: 'ABORT_ERR' };
