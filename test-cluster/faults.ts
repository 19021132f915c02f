import type { ClusterProcess } from './cluster-process.ts';
import type { Effect, FaultCode, RequestMatch } from './messages.ts';
import { milliseconds } from './milliseconds.ts';

/** A fault for requests. It ends when a number of requests have met it, or when a call ends it. */
export class Fault {
  readonly #process: ClusterProcess;
  readonly #id: number;

  /** {@link Faults} makes it. */
  constructor(process: ClusterProcess, id: number) {
    this.#process = process;
    this.#id = id;
  }

  /** The number of requests that have met it. */
  met(): Promise<number> {
    return this.#process.call('met', this.#id);
  }

  /** Ends the fault. Watches that it holds continue. Resolves to the number of requests that have met it. */
  end(): Promise<number> {
    return this.#process.call('endFault', this.#id);
  }
}

/**
 * Faults that a client of the cluster must handle. A fault is active when its call resolves. Requests of the cluster's
 * own controllers meet no faults.
 */
export class Faults {
  readonly #process: ClusterProcess;

  /** {@link TestCluster} makes it. */
  constructor(process: ClusterProcess) {
    this.#process = process;
  }

  /**
   * Refuses the next matching requests with a code and does nothing else. 409 is AlreadyExists for a create, and
   * Conflict for all other verbs. A watch with 410 starts and then ends with an ERROR event, as on a real server.
   *
   * @param how `times` is the number of requests, 1 by default. `retryAfterSeconds` is the waiting time in answers with
   * 429 and 503, 1 by default.
   * @example await cluster.faults.answer(409, { verb: 'update', resource: 'configmaps' }, { times: 3 });
   */
  answer(
    code: FaultCode,
    match: RequestMatch,
    how: { readonly times?: number; readonly retryAfterSeconds?: number } = {},
  ): Promise<Fault> {
    const { times = 1, retryAfterSeconds = 1 } = how;
    return this.#add(match, { kind: 'answer', code, retryAfterSeconds }, times);
  }

  /**
   * Delays the start of the next requests by this time.
   *
   * @param time milliseconds, or a text such as `1.5s`
   * @param how `times` is the number of requests, 1 by default
   */
  delay(time: string | number, match: RequestMatch, how: { readonly times?: number } = {}): Promise<Fault> {
    return this.#add(match, { kind: 'delay', milliseconds: milliseconds(time) }, how.times ?? 1);
  }

  /**
   * Carries out the next requests, but cuts their connections before the answers. So the clients do not know the
   * outcome.
   *
   * @param how `times` is the number of requests, 1 by default
   */
  loseAnswer(match: RequestMatch, how: { readonly times?: number } = {}): Promise<Fault> {
    return this.#add(match, { kind: 'lose answer' }, how.times ?? 1);
  }

  /**
   * Holds the events of matching watches, and of new matching watches, until the fault ends. Then the watches get all
   * of them.
   */
  holdWatches(match: RequestMatch = {}): Promise<Fault> {
    return this.#add(match, { kind: 'hold watches' }, Number.MAX_SAFE_INTEGER);
  }

  /** Cuts the connections of the open watches that match. Resolves with their number. */
  cutWatches(match: RequestMatch = {}): Promise<number> {
    return this.#process.call('cutWatches', match);
  }

  /** Ends all faults. */
  async clear(): Promise<void> {
    await this.#process.call('clearFaults');
  }

  async #add(match: RequestMatch, effect: Effect, times: number): Promise<Fault> {
    return new Fault(this.#process, await this.#process.call('addFault', match, effect, times));
  }
}
